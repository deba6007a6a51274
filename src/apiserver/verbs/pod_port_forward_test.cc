#include <gmock/gmock.h>

#include "client/remote_port.h"
#include "net/spdy.h"
#include "net/web_socket.h"
#include "testing/engine_fixture.h"
#include "testing/fake_node.h"

namespace muster::apiserver {
namespace {

using net::SpdyFrame;
using net::SpdyStatus;
using net::SpdyWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t kClientMask = 0x01020304;

class Forward : public Engine {
 protected:
  void SetUp() override {
    Engine::SetUp();
    server_->set_node(&node_);
    make_pod("p", "Running");
  }
  /// The clients leave: until then an exchange and what it forwards hold each other.
  void TearDown() override {
    leave();
    Engine::TearDown();
  }
  void leave() {
    for (const auto& exchange : exchanges_) {
      if (exchange->gone) std::exchange(exchange->gone, nullptr)();
    }
    loop_.settle();
    for (const auto& exchange : exchanges_) exchange->gone = nullptr;
  }

  void make_pod(const std::string& name, const std::string& phase) {
    const std::string pod =
        R"({"metadata":{"name":")" + name + R"("},"spec":{"nodeName":"n","containers":[{"name":"a","image":"i"}]}})";
    ASSERT_EQ(call("POST", kPods, pod)->status, 201);
    const std::string status = R"({"status":{"phase":")" + phase + R"(","podIP":"127.1.2.3"}})";
    ASSERT_EQ(call("PATCH", std::string(kPods) + "/" + name + "/status", status)->status, 200);
  }
  std::shared_ptr<Recorder> open(const std::string& target, net::Headers headers) {
    net::Request request{.method = "GET", .target = std::string(kPods) + target};
    request.headers = std::move(headers);
    request.peer.in_process = true;
    auto exchange = std::make_shared<Recorder>();
    server_->handle(std::move(request), exchange);
    exchanges_.push_back(exchange);
    return exchange;
  }
  static net::Headers handshake(std::string_view protocol) {
    return net::make_handshake("dGhlIHNhbXBsZSBub25jZQ==", {std::string(protocol)});
  }
  std::string refusal(const std::string& target, net::Headers headers) {
    const auto answer = json::parse(open(target, std::move(headers))->body);
    return answer ? std::to_string(answer->int_at("code")) + " " + answer->string_at("message") : "";
  }

  void say(const std::string& bytes) { exchange_->input.on_data(net::make_frame(2, "", bytes, kClientMask)); }
  void open_tunnel() {
    exchange_ = open("/p/portforward", handshake(client::kTunnelProtocol));
    ASSERT_EQ(exchange_->status, 101);
  }
  std::string stream(std::uint32_t number, const std::string& type, const std::string& port = "80",
                     const std::string& id = "0") {
    return writer_.open(number, {{"streamtype", type}, {"port", port}, {"requestid", id}}, type == "error");
  }
  /// The two streams of a connection, as kubectl opens them.
  void connect(std::uint32_t first, const std::string& port, const std::string& id) {
    say(stream(first, "error", port, id));
    say(stream(first + 2, "data", port, id));
  }
  testing::FakeNode::Connection& connection(std::size_t i = 0) { return *node_.connections.at(i); }

  /// What the client has received since the last call.
  std::vector<std::string> received() {
    std::vector<std::string> out;
    frames_.put(exchange_->body.substr(read_), [&](const net::FramePiece& piece) {
      if (piece.kind == net::FramePiece::Kind::kClose) out.push_back("close");
      if (piece.kind != net::FramePiece::Kind::kMessage) return true;
      const Status read = reader_.put(piece.bytes, [&](const SpdyFrame& frame) {
        const char* kinds[] = {"stream", "reply", "reset", "data", "ping", "goaway"};
        std::string text = kinds[static_cast<int>(frame.kind)] + std::string(" ") + std::to_string(frame.stream);
        if (frame.status != 0) text += " " + std::to_string(frame.status);
        if (!frame.bytes.empty()) text += " " + std::string(frame.bytes);
        out.push_back(text + (frame.is_last ? " end" : ""));
        return true;
      });
      EXPECT_TRUE(read.has_value());
      return true;
    });
    read_ = exchange_->body.size();
    return out;
  }

  testing::FakeNode node_;
  std::vector<std::shared_ptr<Recorder>> exchanges_;
  std::shared_ptr<Recorder> exchange_;
  SpdyWriter writer_;
  net::SpdyReader reader_;
  net::FrameReader frames_{net::WebSocketRole::kClient, net::WebSocket::kMaxMessage};
  std::size_t read_ = 0;
};

TEST_F(Forward, PassesBytesBothWaysAndEndsWithTheProgram) {
  open_tunnel();
  EXPECT_EQ(exchange_->headers.get("Sec-WebSocket-Protocol"), "SPDY/3.1+portforward.k8s.io");
  say(stream(1, "error"));
  EXPECT_THAT(node_.connections, IsEmpty());
  say(stream(3, "data"));
  EXPECT_THAT(received(), ElementsAre("reply 1", "reply 3"));
  EXPECT_EQ(connection().request.pod, "p");
  EXPECT_EQ(connection().request.address, "127.1.2.3");
  EXPECT_EQ(connection().request.port, 80);
  say(SpdyWriter::data_head(3, 2, false) + "in" + SpdyWriter::data_head(3, 0, true));
  EXPECT_EQ(connection().input, "in");
  EXPECT_TRUE(connection().input_finished);
  connection().sink.on_connected();
  connection().sink.on_bytes("out");
  connection().sink.on_finish();
  EXPECT_THAT(received(), ElementsAre("data 3 out", "data 3 end", "data 1 end"));
  connection().sink.on_end(ok());
  EXPECT_THAT(received(), IsEmpty());
  EXPECT_TRUE(connection().dropped);
}

TEST_F(Forward, AClientThatSaysSoMaySendAfterTheProgramHasFinished) {
  open_tunnel();
  for (const std::uint32_t number : {1, 3}) {
    say(writer_.open(number,
                     {{"streamtype", number == 1 ? "error" : "data"},
                      {"port", "80"},
                      {"requestid", "0"},
                      {std::string(net::kSpdyHalfClose), "true"}},
                     false));
  }
  connection().sink.on_finish();
  EXPECT_THAT(received(), ElementsAre("reply 1", "reply 3", "data 3 end"));
  say(SpdyWriter::data_head(3, 4, false) + "more");
  EXPECT_EQ(connection().input, "more");
  connection().sink.on_end(ok());
  EXPECT_THAT(received(), ElementsAre("data 1 end"));
}

TEST_F(Forward, AClosedPortIsToldOnTheStreamForErrors) {
  open_tunnel();
  connect(1, "81", "7");
  connection().sink.on_end(Error{.reason = Reason::kServiceUnavailable, .message = "connection refused"});
  const auto seen = received();
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_THAT(seen[2], HasSubstr("data 1 error forwarding port 81 to pod p, uid "));
  EXPECT_THAT(seen[2], HasSubstr(": connection refused"));
  EXPECT_EQ(seen[3], "data 1 end");
  EXPECT_EQ(seen[4], "data 3 end");
  // The number of a connection may be used again.
  connect(5, "80", "7");
  EXPECT_EQ(node_.connections.size(), 2u);
}

TEST_F(Forward, AConnectionThatBreaksLaterJustEnds) {
  open_tunnel();
  connect(1, "80", "0");
  connection().sink.on_connected();
  connection().sink.on_end(Error{.reason = Reason::kServiceUnavailable, .message = "reset"});
  EXPECT_THAT(received(), ElementsAre("reply 1", "reply 3", "data 1 end", "data 3 end"));
}

TEST_F(Forward, AResetOfTheClientClosesTheConnection) {
  open_tunnel();
  connect(1, "80", "0");
  connect(5, "80", "1");
  received();
  say(writer_.reset(3, SpdyStatus::kCancel));
  EXPECT_TRUE(connection(0).dropped);
  EXPECT_FALSE(connection(1).dropped);
  EXPECT_THAT(received(), ElementsAre("data 1 end"));
  say(SpdyWriter::data_head(3, 4, false) + "late");
  leave();
  EXPECT_TRUE(connection(1).dropped);
}

TEST_F(Forward, AProgramThatDoesNotReadMakesTheClientWait) {
  open_tunnel();
  connect(1, "80", "0");
  connection().unread = std::size_t{2} << 20;
  say(SpdyWriter::data_head(3, 1, false) + "x");
  EXPECT_TRUE(exchange_->input_paused);
  connection().read_until(0);
  EXPECT_FALSE(exchange_->input_paused);
  connection().unread = std::size_t{2} << 20;
  say(SpdyWriter::data_head(3, 1, false) + "x");
  EXPECT_TRUE(exchange_->input_paused);
  connection().sink.on_end(ok());
  EXPECT_FALSE(exchange_->input_paused);
}

TEST_F(Forward, AClientThatDoesNotReadMakesTheProgramsWait) {
  open_tunnel();
  connect(1, "80", "0");
  exchange_->backlog = std::size_t{4} << 20;
  connection(0).sink.on_bytes("x");
  EXPECT_TRUE(connection(0).paused);
  connect(5, "80", "1");
  EXPECT_TRUE(connection(1).paused);
  exchange_->read_until(0);
  EXPECT_FALSE(connection(0).paused);
  EXPECT_FALSE(connection(1).paused);
}

TEST_F(Forward, MoreConnectionsThanTheLimitAreRefusedAndTheOthersStay) {
  open_tunnel();
  std::uint32_t number = 1;
  for (int i = 0; i < 1024; ++i, number += 4) connect(number, "80", std::to_string(i));
  received();
  say(stream(number, "error", "80", "more"));
  EXPECT_THAT(received(), ElementsAre("reset " + std::to_string(number) + " 3"));
  EXPECT_EQ(node_.connections.size(), 1024u);
  connection().sink.on_end(ok());
  received();
  connect(number + 2, "80", "more");
  EXPECT_EQ(node_.connections.size(), 1025u);
}

TEST_F(Forward, ANodeThatRefusesIsQuoted) {
  open_tunnel();
  node_.refusal = Error{.reason = Reason::kTooManyRequests, .message = "too many"};
  connect(1, "80", "0");
  const auto seen = received();
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_THAT(seen[2], HasSubstr("too many"));
}

TEST_F(Forward, StreamsThatMakeNoSenseAreReset) {
  open_tunnel();
  say(stream(2, "data"));
  say(stream(3, "data", "0"));
  say(stream(5, "data", "65536"));
  say(stream(7, "other"));
  say(stream(9, "data", "80", ""));
  say(stream(11, "data"));
  say(stream(13, "data"));
  say(stream(15, "error", "81"));
  EXPECT_THAT(received(), ElementsAre("reset 2 1", "reset 3 1", "reset 5 1", "reset 7 1", "reset 9 1", "reply 11",
                                      "reset 13 1", "reset 15 1"));
  EXPECT_THAT(node_.connections, IsEmpty());
  say("\x80\x02 nonsense");
  EXPECT_THAT(received(), ElementsAre("close"));
}

TEST_F(Forward, AClientThatLeavesGetsItsLastConnectionsToTheEnd) {
  open_tunnel();
  connect(1, "80", "0");
  say(writer_.ping(1));
  say(std::string("\x80\x03\x00\x07\x00\x00\x00\x08", 8) + std::string(8, '\0'));
  EXPECT_THAT(received(), ElementsAre("reply 1", "reply 3", "ping 1"));
  connection().sink.on_end(ok());
  EXPECT_THAT(received(), ElementsAre("data 1 end", "data 3 end", "close"));
}

TEST_F(Forward, EndsWithItsPod) {
  make_pod("other", "Running");
  open_tunnel();
  connect(1, "80", "0");
  received();
  ASSERT_EQ(call("PATCH", std::string(kPods) + "/p/status", R"({"status":{"message":"still running"}})")->status, 200);
  ASSERT_EQ(call("PATCH", std::string(kPods) + "/other/status", R"({"status":{"phase":"Failed"}})")->status, 200);
  EXPECT_THAT(received(), IsEmpty());
  ASSERT_EQ(call("PATCH", std::string(kPods) + "/p/status", R"({"status":{"phase":"Succeeded"}})")->status, 200);
  loop_.settle();
  EXPECT_THAT(received(), ElementsAre("close"));
  EXPECT_TRUE(connection().dropped);
  connect(5, "22", "1");
  EXPECT_EQ(node_.connections.size(), 1u);
}

TEST_F(Forward, WithChannelsEndsWhenItsPodIsDeleted) {
  exchange_ = open("/p/portforward?ports=80", handshake("v4.channel.k8s.io"));
  ASSERT_EQ(exchange_->status, 101);
  EXPECT_FALSE(exchange_->ended);
  ASSERT_EQ(call("DELETE", std::string(kPods) + "/p?gracePeriodSeconds=0", "")->status, 200);
  loop_.settle();
  EXPECT_TRUE(exchange_->ended);
  EXPECT_TRUE(connection().dropped);
}

TEST_F(Forward, TheProtocolWithChannelsHasTwoForEachPort) {
  exchange_ = open("/p/portforward?ports=80,81", handshake("v4.channel.k8s.io"));
  ASSERT_EQ(exchange_->status, 101);
  ASSERT_EQ(node_.connections.size(), 2u);
  EXPECT_EQ(connection(1).request.port, 81);
  say(std::string(1, '\0') + "to 80");
  say("\x02to 81");
  EXPECT_EQ(connection(0).input, "to 80");
  EXPECT_EQ(connection(1).input, "to 81");
  connection(0).sink.on_connected();
  connection(0).sink.on_bytes("from 80");
  connection(0).sink.on_end(ok());
  connection(1).sink.on_end(Error{.reason = Reason::kServiceUnavailable, .message = "refused"});
  std::vector<std::string> messages;
  frames_.put(exchange_->body, [&](const net::FramePiece& piece) {
    messages.push_back(piece.kind == net::FramePiece::Kind::kClose ? "close" : std::string(piece.bytes));
    return true;
  });
  ASSERT_EQ(messages.size(), 7u);
  EXPECT_EQ(messages[0], std::string("\x00\x50\x00", 3));
  EXPECT_EQ(messages[3], std::string("\x03\x51\x00", 3));
  EXPECT_EQ(messages[4], std::string(1, '\0') + "from 80");
  EXPECT_THAT(messages[5], HasSubstr("\x03"
                                     "error forwarding port 81 to pod p, uid "));
  EXPECT_EQ(messages[6], "close");
}

TEST_F(Forward, RequestsThatCannotBeServedSayWhy) {
  make_pod("q", "Pending");
  EXPECT_EQ(refusal("/none/portforward", handshake(client::kTunnelProtocol)), "404 pods \"none\" not found");
  EXPECT_EQ(refusal("/p/portforward", {}), "400 Upgrade request required");
  EXPECT_EQ(refusal("/q/portforward", handshake(client::kTunnelProtocol)),
            "500 unable to upgrade connection: pod q is not running: it is Pending");
  EXPECT_THAT(refusal("/p/portforward", {{"Connection", "Upgrade"}, {"Upgrade", "SPDY/3.1"}}),
              HasSubstr("use kubectl 1.31 or newer"));
  EXPECT_EQ(refusal("/p/portforward", handshake("v4.channel.k8s.io")), "400 query parameter \"ports\" is required");
  EXPECT_EQ(refusal("/p/portforward?ports=80,x", handshake("v4.channel.k8s.io")),
            "400 ports: \"x\" is not a port; name numbers from 1 to 65535");
  EXPECT_THAT(refusal("/p/portforward", handshake("v9")), HasSubstr("400 "));
  server_->set_node(nullptr);
  EXPECT_THAT(refusal("/p/portforward", handshake(client::kTunnelProtocol)), HasSubstr("503 "));
}

}  // namespace
}  // namespace muster::apiserver
