#include "net/web_socket.h"

#include <gmock/gmock.h>

#include "testing/seeded_rng.h"

namespace muster::net {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Records what is written, and passes it to the other side when asked to.
class Line final : public ByteStream {
 public:
  void write(Bytes bytes) override { written += *bytes; }
  void finish() override {}
  std::size_t unsent() const override { return backlog; }
  void when_room(std::size_t, Task) override {}
  void pause_input() override {}
  void resume_input() override {}

  std::string written;
  std::size_t backlog = 0;
};

struct Side {
  explicit Side(WebSocketRole role) {
    WebSocketSink sink;
    sink.on_message = [this](std::string_view bytes, bool first, bool last) {
      if (first) message.clear();
      message += bytes;
      if (last) messages.push_back(message);
    };
    sink.on_close = [this](CloseCode code, const std::string& why) { closed.push_back({code, why}); };
    socket = std::make_shared<WebSocket>(line, role, &rng, std::move(sink));
  }
  std::string sent() { return std::exchange(line.written, {}); }

  testing::SeededRng rng{1};
  Line line;
  std::string message;
  std::vector<std::string> messages;
  std::vector<std::pair<CloseCode, std::string>> closed;
  std::shared_ptr<WebSocket> socket;
};

constexpr unsigned kTextFrame = 1;
constexpr unsigned kContinuationFrame = 0;
constexpr std::uint32_t kMask = 0x01020304;

std::string fragment(std::string frame) {
  frame[0] = static_cast<char>(frame[0] & 0x7f);
  return frame;
}

Request handshake(const std::string& key, const std::vector<std::string>& protocols) {
  return Request{.method = "GET", .target = "/", .headers = make_handshake(key, protocols)};
}

TEST(WebSocketHandshake, AcceptsTheExampleOfTheStandard) {
  const Request request = handshake("dGhlIHNhbXBsZSBub25jZQ==", {"a", "b"});
  ASSERT_TRUE(check_handshake(request));
  EXPECT_THAT(offered_protocols(request.headers), ElementsAre("a", "b"));
  const Headers answer = accept_handshake(request, "b");
  EXPECT_EQ(answer.get("Sec-WebSocket-Accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_TRUE(check_accepted(answer, "dGhlIHNhbXBsZSBub25jZQ==", {"a", "b"}));
  EXPECT_FALSE(check_accepted(answer, "b3RoZXIgc2FtcGxlIG5vbg==", {"a", "b"}));
  EXPECT_FALSE(check_accepted(answer, "dGhlIHNhbXBsZSBub25jZQ==", {"c"}));
}

TEST(WebSocketHandshake, RefusesWhatIsNotAHandshake) {
  const Request good = handshake("dGhlIHNhbXBsZSBub25jZQ==", {});
  const auto refusal = [&](const auto& spoil) {
    Request request = good;
    spoil(request);
    const Status checked = check_handshake(request);
    return checked ? "accepted" : checked.error().message;
  };
  EXPECT_THAT(refusal([](Request& r) { r.headers.set("Connection", "close"); }), HasSubstr("Connection: Upgrade"));
  EXPECT_THAT(refusal([](Request& r) { r.headers.set("Upgrade", "SPDY/3.1"); }), HasSubstr("Upgrade: websocket"));
  EXPECT_THAT(refusal([](Request& r) { r.method = "POST"; }), HasSubstr("must be GET, got POST"));
  EXPECT_THAT(refusal([](Request& r) { r.headers.set("Sec-WebSocket-Version", "8"); }), HasSubstr("must be 13"));
  EXPECT_THAT(refusal([](Request& r) { r.headers.set("Sec-WebSocket-Key", "c2hvcnQ="); }), HasSubstr("16 bytes"));
  EXPECT_EQ(refusal([](Request& r) { r.headers.set("Connection", "keep-alive, upgrade"); }), "accepted");
}

TEST(WebSocketTest, MessagesOfEverySizeArriveHoweverTheyAreCut) {
  for (const std::size_t size : {0U, 1U, 125U, 126U, 0xffffU, 0x10000U, 200'000U}) {
    Side client(WebSocketRole::kClient);
    const std::string text(size, 'x');
    client.socket->send(text, "\x01");
    client.socket->send("after");
    const std::string bytes = client.sent();
    for (const std::size_t step : {bytes.size(), std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
      Side server(WebSocketRole::kServer);
      for (std::size_t at = 0; at < bytes.size(); at += step) server.socket->take(bytes.substr(at, step));
      EXPECT_THAT(server.messages, ElementsAre("\x01" + text, "after")) << size << " by " << step;
    }
    EXPECT_EQ(size < 8 || bytes.find("xxxxxxxx") == std::string::npos, true) << "a client masks";
  }
}

TEST(WebSocketTest, AControlFrameMayComeBetweenTheFragmentsOfAMessage) {
  Side server(WebSocketRole::kServer);
  server.socket->take(fragment(make_frame(kTextFrame, "", "one ", kMask)) + make_frame(9, "", "p", kMask) +
                      fragment(make_frame(kContinuationFrame, "", "", kMask)) +
                      make_frame(kContinuationFrame, "", "two", kMask));
  EXPECT_THAT(server.messages, ElementsAre("one two"));
  EXPECT_EQ(server.sent(), make_frame(10, "", "p", std::nullopt));
}

TEST(WebSocketTest, APeerThatReadsNoPongsGetsNoMore) {
  Side server(WebSocketRole::kServer);
  server.line.backlog = std::size_t{1} << 20;
  server.socket->take(make_frame(9, "", "p", kMask));
  EXPECT_EQ(server.sent(), "");
}

TEST(WebSocketTest, ACloseIsAnsweredOnceAndEndsEverything) {
  Side client(WebSocketRole::kClient);
  Side server(WebSocketRole::kServer);
  client.socket->close(CloseCode::kNormal, "bye");
  client.socket->send("too late");
  server.socket->take(client.sent());
  EXPECT_THAT(server.closed, ElementsAre(std::pair(CloseCode::kNormal, std::string("bye"))));
  client.socket->take(server.sent());
  EXPECT_THAT(client.closed, ElementsAre(std::pair(CloseCode::kNormal, std::string())));
  EXPECT_EQ(client.sent(), "");
  server.socket->take(make_frame(kTextFrame, "", "x", kMask));
  EXPECT_TRUE(server.messages.empty());
}

TEST(WebSocketTest, ALongReasonIsCutBetweenTwoCharacters) {
  Side client(WebSocketRole::kClient);
  Side server(WebSocketRole::kServer);
  std::string reason;
  for (int i = 0; i < 100; ++i) reason += "\u00e4";  // two bytes; 123 fit
  server.socket->close(CloseCode::kProtocolError, reason);
  client.socket->take(server.sent());
  EXPECT_THAT(client.closed, ElementsAre(std::pair(CloseCode::kProtocolError, reason.substr(0, 122))));
}

TEST(WebSocketTest, AViolationOfTheProtocolClosesWithItsCode) {
  const std::string huge = std::string("\x82\xff\0\0\0\0\x03\0\0\0", 10) + "mask";
  const std::vector<std::pair<std::string, CloseCode>> cases = {
      {make_frame(kTextFrame, "", "not masked", std::nullopt), CloseCode::kProtocolError},
      {make_frame(3, "", "unknown", kMask), CloseCode::kProtocolError},
      {make_frame(kTextFrame | 0x40, "", "compressed", kMask), CloseCode::kProtocolError},
      {make_frame(kContinuationFrame, "", "of nothing", kMask), CloseCode::kProtocolError},
      {fragment(make_frame(kTextFrame, "", "a", kMask)) + make_frame(kTextFrame, "", "b", kMask),
       CloseCode::kProtocolError},
      {fragment(make_frame(9, "", "ping", kMask)), CloseCode::kProtocolError},
      {make_frame(9, "", std::string(126, 'p'), kMask), CloseCode::kProtocolError},
      {huge, CloseCode::kTooLarge},
  };
  for (const auto& [bytes, code] : cases) {
    Side server(WebSocketRole::kServer);
    server.socket->take(bytes);
    ASSERT_EQ(server.closed.size(), 1U) << ::testing::PrintToString(bytes);
    EXPECT_EQ(server.closed[0].first, code) << ::testing::PrintToString(bytes);
    EXPECT_EQ(server.sent().substr(0, 1), "\x88") << "a close frame";
  }
}

TEST(WebSocketTest, ACallbackMayDropTheSocket) {
  Line line;
  std::shared_ptr<WebSocket> socket;
  WebSocketSink sink;
  sink.on_message = [&](std::string_view, bool, bool) { socket.reset(); };
  socket = std::make_shared<WebSocket>(line, WebSocketRole::kServer, nullptr, std::move(sink));
  socket->take(make_frame(kTextFrame, "", "a", kMask) + make_frame(kTextFrame, "", "b", kMask));
  EXPECT_EQ(socket, nullptr);
}

}  // namespace
}  // namespace muster::net
