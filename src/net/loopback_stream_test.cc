// Streams in both directions over real sockets: bodies that a handler takes piece by piece, and upgraded connections.
#include "net/web_socket.h"
#include "testing/loopback_fixture.h"
#include "testing/seeded_rng.h"

namespace muster::net {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

Bytes shared_text(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

class StreamTest : public LoopbackTest {
 protected:
  void serve_streams(Handler handler, ServerLimits limits = {}) {
    server_ = std::make_unique<HttpServer>(loop_, ServerTls{certificate().certificate_pem, certificate().key_pem},
                                           std::move(handler), limits, nullptr,
                                           [](const Request& head) { return head.target == "/upload"; });
    const auto port = server_->listen("127.0.0.1", 0);
    ASSERT_TRUE(port.has_value()) << port.error().message;
    port_ = *port;
  }

  /// Keeps the exchange of an upload, and what arrived of its body.
  void take_uploads(ServerLimits limits = {}) {
    serve_streams(
        [this](const Request& request, const std::shared_ptr<Exchange>& exchange) {
          EXPECT_EQ(request.streams_body, request.target == "/upload");
          if (request.target != "/upload") return exchange->respond({.body = "other"});
          exchange_ = exchange;
          exchange->on_gone([this] { gone_ = true; });
          InputSink sink;
          sink.on_data = [this](std::string_view bytes) { arrived_ += bytes; };
          sink.on_end = [this] { exchange_->respond({.body = std::to_string(arrived_.size())}); };
          exchange->read_input(std::move(sink));
        },
        limits);
  }

  /// Upgrades every request and sends back what arrives.
  void echo_bytes() {
    serve_streams([this](const Request& request, const std::shared_ptr<Exchange>& exchange) {
      if (!asks_for_upgrade(request.headers)) return exchange->respond({.status = 400});
      exchange_ = exchange;
      exchange->on_gone([this] { gone_ = true; });
      exchange->begin(101, {{"Upgrade", "echo"}, {"Connection", "Upgrade"}});
      InputSink sink;
      sink.on_data = [this](std::string_view bytes) {
        arrived_ += bytes;
        exchange_->write(shared_text(std::string(bytes)));
      };
      exchange->read_input(std::move(sink));
    });
  }

  static Request upgrade() {
    return {.method = "GET", .target = "/", .headers = {{"Upgrade", "echo"}, {"Connection", "Upgrade"}}};
  }
  void TearDown() override { exchange_.reset(); }

  std::shared_ptr<Exchange> exchange_;
  std::string arrived_;
  bool gone_ = false;
};

TEST_F(StreamTest, ABodyBeyondTheLimitArrivesInPieces) {
  take_uploads({.body_bytes = 1000});
  const auto peer = dial();
  peer->send("PUT /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n");
  wait([&] { return exchange_ != nullptr; }, "the handler, before the body");
  peer->send(std::string(200'000, 'x') + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
  wait([&] { return peer->received().ends_with("other"); }, "both answers");
  EXPECT_THAT(peer->received(), HasSubstr("\r\n\r\n200000HTTP/1.1 200"));
  EXPECT_EQ(arrived_.size(), 200'000U);
  peer->send("PUT /small HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n");
  wait([&] { return peer->received().find("HTTP/1.1 413") != std::string::npos; }, "the limit of other requests");
}

TEST_F(StreamTest, AChunkedBodyArrivesHoweverItIsCut) {
  take_uploads();
  const auto peer = dial();
  for (const char c : std::string("PUT /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                                  "3\r\nabc\r\n10;x=y\r\n0123456789abcdef\r\n0\r\nT: 1\r\n\r\n")) {
    peer->send(std::string_view(&c, 1));
    pass(std::chrono::microseconds(200));
  }
  wait([&] { return peer->received().ends_with("\r\n\r\n19"); }, "the answer");
  EXPECT_EQ(arrived_, "abc0123456789abcdef");
}

TEST_F(StreamTest, AnEmptyBodyEndsAtOnce) {
  take_uploads();
  EXPECT_THAT(answer_to("PUT /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
              EndsWith("\r\n\r\n0"));
}

TEST_F(StreamTest, ContinueIsSentWhenTheHandlerReads) {
  serve_streams([this](const Request&, const std::shared_ptr<Exchange>& exchange) { exchange_ = exchange; });
  const auto peer = dial();
  peer->send("PUT /upload HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  wait([&] { return exchange_ != nullptr; });
  EXPECT_EQ(peer->received(), "");
  InputSink sink;
  sink.on_end = [this] { exchange_->respond({.body = "done"}); };
  sink.on_data = [this](std::string_view bytes) { arrived_ += bytes; };
  exchange_->read_input(std::move(sink));
  wait([&] { return peer->received() == "HTTP/1.1 100 Continue\r\n\r\n"; }, "100 Continue");
  peer->send("ok");
  wait([&] { return peer->received().ends_with("done"); });
  EXPECT_EQ(arrived_, "ok");
}

TEST_F(StreamTest, AHandlerMayReadLongAfterThePeerHasBegunToSend) {
  serve_streams([this](const Request&, const std::shared_ptr<Exchange>& exchange) { exchange_ = exchange; });
  HttpClient client(loop_, tls());
  Outcome outcome;
  const auto call = client.send({.method = "PUT", .target = "/upload", .streams_body = true}, record(outcome));
  for (int i = 0; i < 8; ++i) call->write(shared_text(std::string(kMegabyte, 'x')));
  call->finish();
  wait([&] { return exchange_ != nullptr; });
  pass(std::chrono::milliseconds(100));  // the server reads what it takes early, and stops
  InputSink sink;
  sink.on_data = [this](std::string_view bytes) { arrived_ += bytes; };
  sink.on_end = [this] { exchange_->respond({.body = std::to_string(arrived_.size())}); };
  exchange_->read_input(std::move(sink));
  wait([&] { return outcome.ended; }, "the answer");
  EXPECT_EQ(outcome.body, std::to_string(8 * kMegabyte));
}

TEST_F(StreamTest, AStreamedAnswerMayAnnounceItsLength) {
  serve_streams([](const Request&, const std::shared_ptr<Exchange>& exchange) {
    exchange->begin(200, {{"Content-Length", "4"}});
    exchange->write(shared_text("ab"));
    exchange->write(shared_text("cd"));
    exchange->finish();
  });
  const auto peer = dial();
  for (int i = 1; i <= 2; ++i) {
    peer->send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    wait([&] { return peer->received().ends_with("\r\n\r\nabcd"); }, "the answer");
    EXPECT_THAT(peer->received(), Not(HasSubstr("chunked")));
    EXPECT_THAT(peer->received(), Not(HasSubstr("Connection: close")));
  }
}

TEST_F(StreamTest, ABodyThatNobodyWantsGetsItsAnswerAndAClosedConnection) {
  serve_streams([](const Request&, const std::shared_ptr<Exchange>& exchange) {
    exchange->respond({.status = 403, .body = "no"});
  });
  const std::string answer =
      answer_to("PUT /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + std::string(100'000, 'x'));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n\r\nno"));
}

TEST_F(StreamTest, APausedBodyMakesThePeerWait) {
  take_uploads({.write_timeout = std::chrono::milliseconds(200)});
  HttpClient client(loop_, tls());
  Outcome outcome;
  const auto call = client.send({.method = "PUT", .target = "/upload", .streams_body = true}, record(outcome));
  wait([&] { return exchange_ != nullptr; });
  exchange_->pause_input();
  for (int i = 0; i < 32; ++i) call->write(shared_text(std::string(kMegabyte, 'x')));
  bool room = false;
  call->when_room(kMegabyte, [&] { room = true; });
  pass(std::chrono::milliseconds(500));
  EXPECT_FALSE(gone_) << "a peer that we pause is not late";
  EXPECT_LT(arrived_.size(), kMegabyte);
  EXPECT_GT(call->unsent(), 16 * kMegabyte);
  EXPECT_FALSE(room);
  exchange_->resume_input();
  call->finish();
  wait([&] { return outcome.ended; }, "the answer");
  EXPECT_TRUE(room);
  EXPECT_EQ(outcome.body, std::to_string(32 * kMegabyte));
}

TEST_F(StreamTest, ABodyThatStopsArrivingIsGivenUp) {
  take_uploads({.write_timeout = std::chrono::milliseconds(100)});
  const auto peer = dial();
  peer->send("PUT /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  wait([&] { return gone_; }, "the server to give up");
  EXPECT_EQ(arrived_, "abc");
}

TEST_F(StreamTest, APeerThatLeavesInTheMiddleOfABodyIsGone) {
  take_uploads();
  const auto peer = dial();
  peer->send("PUT /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  wait([&] { return arrived_ == "abc"; });
  peer->close();
  wait([&] { return gone_; }, "the server to notice");
}

TEST_F(StreamTest, ABodyThatIsCompleteCountsAlthoughThePeerStoppedSending) {
  serve_streams([this](const Request&, const std::shared_ptr<Exchange>& exchange) { exchange_ = exchange; });
  const auto peer = dial();
  peer->send("PUT /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
  peer->stop_sending();
  wait([&] { return exchange_ != nullptr; });
  pass(std::chrono::milliseconds(20));
  InputSink sink;
  sink.on_data = [this](std::string_view bytes) { arrived_ += bytes; };
  sink.on_end = [this] { exchange_->respond({.body = "got " + arrived_}); };
  exchange_->read_input(std::move(sink));
  wait([&] { return peer->ended(); }, "the answer");
  EXPECT_THAT(peer->received(), EndsWith("got abc"));
}

TEST_F(StreamTest, AnUpgradedConnectionCarriesBytesBothWays) {
  echo_bytes();
  for (const Endpoint& endpoint : {plain(), tls()}) {
    HttpClient client(loop_, endpoint);
    Outcome outcome;
    const auto call = client.send(upgrade(), record(outcome));
    wait([&] { return outcome.status == 101; }, "the upgrade");
    EXPECT_EQ(outcome.headers.get("Connection"), "Upgrade");
    call->write(shared_text("hello"));
    wait([&] { return outcome.body == "hello"; }, "the echo");
    call->write(shared_text(std::string(3 * kMegabyte, 'x')));
    wait([&] { return outcome.body.size() == 5 + 3 * kMegabyte; }, "the large echo");
    exchange_->write(shared_text("bye"));
    exchange_->finish();
    wait([&] { return outcome.ended; }, "the end");
    EXPECT_FALSE(outcome.failed);
    EXPECT_THAT(outcome.body, EndsWith("xbye"));
  }
}

TEST_F(StreamTest, BytesThatComeWithTheRequestBelongToTheUpgrade) {
  echo_bytes();
  const auto peer = dial();
  peer->send("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\nearly");
  wait([&] { return peer->received().ends_with("\r\n\r\nearly"); }, "the echo");
  EXPECT_THAT(peer->received(), StartsWith("HTTP/1.1 101 Switching Protocols\r\n"));
  peer->close();
  wait([&] { return gone_; }, "the server to notice");
}

TEST_F(StreamTest, ARefusedUpgradeIsAnOrdinaryAnswer) {
  serve_streams([](const Request&, const std::shared_ptr<Exchange>& exchange) {
    exchange->respond({.status = 403, .body = "no"});
  });
  HttpClient client(loop_, plain());
  const Outcome outcome = fetch(client, upgrade());
  EXPECT_EQ(outcome.status, 403);
  EXPECT_EQ(outcome.body, "no");
}

TEST_F(StreamTest, DroppingTheCallTellsTheServer) {
  echo_bytes();
  HttpClient client(loop_, tls());
  Outcome outcome;
  auto call = client.send(upgrade(), record(outcome));
  wait([&] { return outcome.status == 101; });
  call.reset();
  wait([&] { return gone_; }, "the server to notice");
  EXPECT_FALSE(outcome.ended);
}

TEST_F(StreamTest, BothEndsOfAnUpgradedConnectionMayMakeTheOtherWait) {
  echo_bytes();
  HttpClient client(loop_, tls());
  Outcome outcome;
  const auto call = client.send(upgrade(), record(outcome));
  wait([&] { return outcome.status == 101; });
  exchange_->pause_input();
  for (int i = 0; i < 16; ++i) call->write(shared_text(std::string(kMegabyte, 'x')));
  pass(std::chrono::milliseconds(200));
  EXPECT_LT(arrived_.size(), kMegabyte);
  EXPECT_GT(call->unsent(), 4 * kMegabyte);
  call->pause_input();
  exchange_->resume_input();
  wait([&] { return arrived_.size() == 16 * kMegabyte; }, "everything to arrive");
  pass(std::chrono::milliseconds(200));
  EXPECT_LT(outcome.body.size(), kMegabyte);
  EXPECT_GT(exchange_->unsent(), 4 * kMegabyte);
  call->resume_input();
  wait([&] { return outcome.body.size() == 16 * kMegabyte; }, "the echo");
}

TEST_F(StreamTest, WebSocketMessagesPassOverTls) {
  std::shared_ptr<WebSocket> served;
  serve_streams([&](const Request& request, const std::shared_ptr<Exchange>& exchange) {
    ASSERT_TRUE(check_handshake(request));
    exchange_ = exchange;
    exchange->begin(101, accept_handshake(request, offered_protocols(request.headers).at(1)));
    WebSocketSink sink;
    sink.on_message = [&](std::string_view bytes, bool, bool) { served->send(bytes, "echo "); };
    sink.on_close = [&](CloseCode, const std::string&) { exchange_->finish(); };
    served = std::make_shared<WebSocket>(*exchange, WebSocketRole::kServer, nullptr, std::move(sink));
    exchange->read_input({.on_data = [&](std::string_view bytes) { served->take(bytes); }, .on_end = nullptr});
  });
  testing::SeededRng rng(1);
  const std::string key = make_handshake_key(rng);
  HttpClient client(loop_, tls());
  std::shared_ptr<WebSocket> socket;
  Outcome outcome;
  ResponseSink sink = record(outcome);
  sink.on_data = [&](std::string_view bytes) { socket->take(bytes); };
  const auto call =
      client.send({.method = "GET", .target = "/", .headers = make_handshake(key, {"a", "b"})}, std::move(sink));
  std::string message;
  std::optional<CloseCode> closed;
  WebSocketSink messages;
  messages.on_message = [&](std::string_view bytes, bool, bool) { message += bytes; };
  messages.on_close = [&](CloseCode code, const std::string&) { closed = code; };
  socket = std::make_shared<WebSocket>(*call, WebSocketRole::kClient, &rng, std::move(messages));
  wait([&] { return outcome.status == 101; }, "the upgrade");
  EXPECT_TRUE(check_accepted(outcome.headers, key, {"b"}));
  socket->send("hello");
  wait([&] { return message == "echo hello"; }, "the echo");
  socket->close(CloseCode::kNormal);
  wait([&] { return outcome.ended; }, "the end");
  EXPECT_EQ(closed, CloseCode::kNormal);
}

}  // namespace
}  // namespace muster::net
