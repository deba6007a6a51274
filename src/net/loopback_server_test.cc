// Tests of HttpServer against a peer that sends raw bytes.
#include "testing/loopback_fixture.h"

namespace muster::net {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using ServerTest = LoopbackTest;

std::string status_text(int code, std::string_view reason, std::string_view message) {
  return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" + std::string(message) +
         R"(","reason":")" + std::string(reason) + R"(","code":)" + std::to_string(code) + "}";
}

Bytes bytes(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

TEST_F(ServerTest, AnswersOnLoopbackWithoutTls) {
  serve(echo);
  const std::string answer = answer_to("GET /a?b=c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
  EXPECT_THAT(answer, HasSubstr(" GMT\r\nContent-Length: 11\r\nConnection: close\r\n\r\nGET /a?b=c "));
}

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInOrderOneAtATime) {
  int running = 0;
  int most = 0;
  serve([&](const Request& request, const std::shared_ptr<Exchange>& exchange) {
    most = std::max(most, ++running);
    loop_.post([&, target = request.target, exchange] {
      --running;
      exchange->respond(Response{.body = target});
    });
  });
  const auto peer = dial();
  peer->send(get_request("/1") + "\r\n" + get_request("/2") + get_request("/3"));
  wait([&] { return peer->received().ends_with("/3"); }, "three answers");
  EXPECT_EQ(most, 1);
  EXPECT_LT(peer->received().find("/1"), peer->received().find("/2"));
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(ServerTest, RequestMayArriveByteByByte) {
  serve(echo);
  const auto peer = dial();
  for (const char c : std::string("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")) {
    peer->send(std::string_view(&c, 1));
    pass(std::chrono::microseconds(200));
  }
  wait([&] { return peer->received().ends_with("POST /x abc"); });
}

TEST_F(ServerTest, ChunkedRequestMayArriveByteByByte) {
  serve(echo);
  const std::string head = "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const auto& [body, answer] :
       {std::pair("0\r\n\r\n", "POST /x "), {"2\r\nab\r\n0\r\nA: b\r\n\r\n", "POST /x ab"}}) {
    const auto peer = dial();
    for (const char c : head + body) {
      peer->send(std::string_view(&c, 1));
      pass(std::chrono::microseconds(200));
    }
    const std::string expected = answer;
    wait([&] { return peer->received().ends_with(expected); }, answer);
  }
}

TEST_F(ServerTest, ChunkedBodyIsPutTogetherAndTrailersAreDropped) {
  serve([](const Request& request, const std::shared_ptr<Exchange>& exchange) {
    exchange->respond(Response{.body = request.body + (request.headers.has("X-Late") ? " late" : "")});
  });
  EXPECT_THAT(answer_to("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                        "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Late: 1\r\n\r\n"),
              EndsWith("\r\n\r\nabcde"));
}

TEST_F(ServerTest, ContinueIsSentBeforeTheBodyIsAwaited) {
  serve(echo);
  const auto peer = dial();
  peer->send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  wait([&] { return peer->received() == "HTTP/1.1 100 Continue\r\n\r\n"; }, "100 Continue");
  peer->send("ok");
  wait([&] { return peer->received().ends_with("PUT / ok"); });
}

TEST_F(ServerTest, HeadHasNoBodyAndOldHttpIsClosed) {
  serve(echo);
  EXPECT_THAT(answer_to("HEAD /h HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
              AllOf(HasSubstr("Content-Length: 8\r\n"), EndsWith("\r\n\r\n")));
  EXPECT_THAT(answer_to("GET /old HTTP/1.0\r\n\r\n"), EndsWith("Connection: close\r\n\r\nGET /old "));
}

TEST_F(ServerTest, MalformedRequestsGetA400AndAClosedConnection) {
  serve(echo);
  const auto refused = [&](std::string_view sent, std::string_view message) {
    const std::string answer = answer_to(sent);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 Bad Request\r\n")) << sent;
    EXPECT_THAT(answer, HasSubstr("Content-Type: application/json\r\n")) << sent;
    EXPECT_THAT(answer, EndsWith("\r\n\r\n" + status_text(400, "BadRequest", message))) << sent;
  };
  refused("\x01\x02garbage\r\n\r\n", "not an HTTP request");
  refused("GET /\r\n\r\n", "not an HTTP request");
  refused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "this port speaks HTTP/1.1");
  refused("GET http://evil/ HTTP/1.1\r\nHost: a\r\n\r\n", "the request target must begin with /");
  refused("GET / HTTP/1.1\r\n\r\n", "there must be one Host header");
  refused("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "there must be one Host header");
  refused("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n", "a header must not continue on the next line");
  refused("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n\t2\r\n\r\n", "a header must not continue on the next line");
  for (const std::string host : {"[::1].evil.com", "127.0.0.1:evil.com", "::1", "127.0.0.1:65536"}) {
    refused("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n",
            "the Host header must be a name or address, and a port up to 65535 at most");
  }
  refused("GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nauthorization: Bearer a\r\n\r\n",
          "there must be one Authorization header");
  refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
          "there must be one Content-Length header");
  refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\na", "the Content-Length must be one number");
  refused("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "transfer-encoding must be chunked");
  refused("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
          "not an HTTP request");
  refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "not an HTTP request");
  refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "not an HTTP request");
  refused("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nab\r\n", "not an HTTP request");
}

TEST_F(ServerTest, BodyLimitHoldsForDeclaredAndForChunkedBodies) {
  std::size_t served = 0;
  serve([&](const Request& request, const std::shared_ptr<Exchange>& exchange) {
    served = request.body.size();
    exchange->respond(Response{.body = "fine"});
  });
  const std::size_t limit = 3 * 1024 * 1024;
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
  const std::string too_large =
      status_text(413, "RequestEntityTooLarge", "the body is larger than 3145728 bytes; split the request");
  EXPECT_THAT(answer_to(head + "Content-Length: " + std::to_string(limit + 1) + "\r\n\r\nx"),
              AllOf(StartsWith("HTTP/1.1 413 "), EndsWith(too_large)));
  EXPECT_THAT(answer_to(head + "Content-Length: 99999999999999999999999\r\n\r\nx"), StartsWith("HTTP/1.1 400 "));
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
  std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 48; ++i) chunked += chunk;
  EXPECT_THAT(answer_to(chunked + "1\r\nx\r\n0\r\n\r\n"), AllOf(StartsWith("HTTP/1.1 413 "), EndsWith(too_large)));
  EXPECT_EQ(served, 0U);
  EXPECT_THAT(answer_to(chunked + "0\r\n\r\n"), EndsWith("fine"));
  EXPECT_EQ(served, limit);
}

TEST_F(ServerTest, HeadLimitsHold) {
  serve(echo);
  const auto too_large = AllOf(
      StartsWith("HTTP/1.1 431 Request Header Fields Too Large\r\n"),
      EndsWith(status_text(431, "BadRequest", "the head of the request has more than 65536 bytes or 256 fields")));
  const std::string start = "GET / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_THAT(answer_to(start + "X: " + std::string(70000, 'x') + "\r\n\r\n"), too_large) << "one long field";
  std::string many = start;
  for (int i = 0; i < 300; ++i) many += "X" + std::to_string(i) + ": 1\r\n";
  EXPECT_THAT(answer_to(many + "\r\n"), too_large) << "many fields";
  EXPECT_THAT(answer_to("GET /" + std::string(70000, 'a')), too_large) << "a long target";
  EXPECT_THAT(answer_to("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(70000, 'e')),
              too_large)
      << "a long chunk extension";
}

TEST_F(ServerTest, HeadThatArrivesFieldByFieldIsLimitedAllTheSame) {
  ServerLimits limits;
  limits.head_bytes = 4096;
  serve(echo, limits);
  const auto peer = dial();
  peer->send("GET / HTTP/1.1\r\nHost: a\r\n");
  for (int i = 0; i < 100 && !peer->ended(); ++i) {
    peer->send("X: " + std::string(100, 'x') + "\r\n");
    pass(std::chrono::microseconds(500));
  }
  wait([&] { return peer->ended(); });
  EXPECT_THAT(peer->received(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(ServerTest, SlowPeersAreTimedOut) {
  ServerLimits limits;
  limits.head_timeout = std::chrono::milliseconds(40);
  limits.idle_timeout = std::chrono::milliseconds(80);
  limits.linger_timeout = std::chrono::milliseconds(40);
  serve(echo, limits);
  EXPECT_EQ(answer_to(""), "") << "nothing sent";
  EXPECT_THAT(answer_to("GET / HTTP/1.1\r\nHo"),
              AllOf(StartsWith("HTTP/1.1 408 Request Timeout\r\n"), HasSubstr(R"("reason":"Timeout","code":408)")));
  EXPECT_THAT(answer_to("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc"), StartsWith("HTTP/1.1 408 "));
  EXPECT_EQ(answer_to("\x16\x03\x01"), "") << "TLS that never continues";
  EXPECT_THAT(answer_to(get_request("/idle")), EndsWith("GET /idle ")) << "kept alive, then idle";
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(ServerTest, StreamsInChunks) {
  std::shared_ptr<Exchange> stream;
  serve([&](const Request&, std::shared_ptr<Exchange> exchange) { stream = std::move(exchange); });
  const auto peer = dial();
  peer->send(get_request("/"));
  wait([&] { return stream != nullptr; });
  stream->begin(200, {{"Content-Type", "text/plain"}});
  wait([&] { return peer->received().ends_with("Transfer-Encoding: chunked\r\n\r\n"); }, "the head, at once");
  const std::size_t head = peer->received().size();
  stream->write(bytes("first"));
  wait([&] { return peer->received().substr(head) == "5\r\nfirst\r\n"; }, "the first chunk");
  stream->finish();
  wait([&] { return peer->received().substr(head) == "5\r\nfirst\r\n0\r\n\r\n"; }, "the end");
  stream.reset();
  peer->send(get_request("/next"));
  wait([&] { return stream != nullptr; }, "the connection to be used again");
}

TEST_F(ServerTest, QueuedPiecesLeaveAsOneChunk) {
  serve([&](const Request&, const std::shared_ptr<Exchange>& exchange) {
    exchange->begin(200, {});  // already being sent when the rest is queued
    exchange->write(bytes("ab"));
    exchange->write(bytes(""));
    exchange->write(bytes("cde"));
    EXPECT_EQ(exchange->unsent(), 5U);
    exchange->finish();
  });
  const auto peer = dial();
  peer->send(get_request("/"));
  wait([&] { return peer->received().ends_with("\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"); });
}

TEST_F(ServerTest, LargeAnswersArriveWhole) {
  const std::string body(9'000'001, 'b');
  serve([&](const Request& request, const std::shared_ptr<Exchange>& exchange) {
    if (request.target == "/whole") {
      exchange->respond(Response{.body = body});
      return;
    }
    exchange->begin(200, {});
    exchange->write(bytes(body));
    exchange->finish();
  });
  HttpClient client(loop_, plain());
  EXPECT_TRUE(fetch(client, {.method = "GET", .target = "/whole"}).body == body);
  EXPECT_TRUE(fetch(client, {.method = "GET", .target = "/chunked"}).body == body);
  HttpClient secure(loop_, tls());
  EXPECT_TRUE(fetch(secure, {.method = "GET", .target = "/whole"}).body == body);
  EXPECT_TRUE(fetch(secure, {.method = "GET", .target = "/chunked"}).body == body);
}

TEST_F(ServerTest, OldHttpStreamsEndWithTheConnection) {
  serve([](const Request&, const std::shared_ptr<Exchange>& exchange) {
    exchange->begin(200, {});
    exchange->write(bytes("text"));
    exchange->finish();
  });
  EXPECT_THAT(answer_to("GET / HTTP/1.0\r\n\r\n"), AllOf(Not(HasSubstr("chunked")), EndsWith("\r\n\r\ntext")));
}

TEST_F(ServerTest, PeerThatLeavesAStreamIsNoticed) {
  std::shared_ptr<Exchange> stream;
  int gone = 0;
  serve([&](const Request&, std::shared_ptr<Exchange> exchange) {
    exchange->begin(200, {});
    exchange->on_gone([&] { ++gone; });
    stream = std::move(exchange);
  });
  const auto peer = dial();
  peer->send(get_request("/"));
  wait([&] { return !peer->received().empty(); });
  peer->close();
  wait([&] { return gone > 0; }, "on_gone");
  stream->write(bytes("to nobody"));
  EXPECT_EQ(stream->unsent(), 0U);
  stream->finish();
  stream->abort();
  bool late = false;
  stream->on_gone([&] { late = true; });
  wait([&] { return late; }, "on_gone for one who asks late");
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(ServerTest, GoneIsNotToldAfterTheEnd) {
  int gone = 0;
  serve([&](const Request&, const std::shared_ptr<Exchange>& exchange) {
    exchange->on_gone([&] { ++gone; });
    exchange->respond({});
  });
  const auto peer = dial();
  peer->send(get_request("/"));
  wait([&] { return !peer->received().empty(); });
  peer->close();
  wait([&] { return server_->connections() == 0; });
  EXPECT_EQ(gone, 0);
}

TEST_F(ServerTest, PeerThatOnlyStoppedSendingStillGetsItsAnswer) {
  std::shared_ptr<Exchange> waiting;
  serve([&](const Request&, std::shared_ptr<Exchange> exchange) { waiting = std::move(exchange); });
  const auto peer = dial();
  peer->send(get_request("/"));
  peer->stop_sending();
  wait([&] { return waiting != nullptr; });
  pass(std::chrono::milliseconds(5));
  waiting->respond(Response{.body = "here"});
  wait([&] { return peer->ended(); });
  EXPECT_THAT(peer->received(), EndsWith("Connection: close\r\n\r\nhere"));
}

TEST_F(ServerTest, SlowReaderShowsInUnsentAndIsDroppedInTheEnd) {
  ServerLimits limits;
  limits.write_timeout = std::chrono::milliseconds(100);
  std::shared_ptr<Exchange> stream;
  bool gone = false;
  serve(
      [&](const Request&, std::shared_ptr<Exchange> exchange) {
        exchange->begin(200, {});
        exchange->on_gone([&] { gone = true; });
        stream = std::move(exchange);
      },
      limits);
  const auto peer = dial();
  peer->stop_reading();
  peer->send(get_request("/"));
  wait([&] { return stream != nullptr; });
  const auto piece = bytes(std::string(1024 * 1024, 'z'));
  for (int i = 0; i < 32; ++i) stream->write(piece);
  EXPECT_GT(stream->unsent(), 31U * 1024 * 1024);
  pass(std::chrono::milliseconds(20));
  EXPECT_GT(stream->unsent(), 8U * 1024 * 1024) << "more than the kernel takes off us";
  wait([&] { return gone; }, "the slow reader to be dropped");
}

TEST_F(ServerTest, RoomIsToldWhenTheReaderHasTakenEnough) {
  std::shared_ptr<Exchange> stream;
  serve([&](const Request&, std::shared_ptr<Exchange> exchange) {
    exchange->begin(200, {});
    stream = std::move(exchange);
  });
  const auto peer = dial();
  peer->stop_reading();
  peer->send(get_request("/"));
  wait([&] { return stream != nullptr; });
  const auto piece = bytes(std::string(1024 * 1024, 'z'));
  for (int i = 0; i < 32; ++i) stream->write(piece);
  constexpr std::size_t kRoom = 1024 * 1024;
  int told = 0;
  stream->when_room(kRoom, [] { FAIL() << "replaced"; });
  stream->when_room(kRoom, [&] {
    ++told;
    EXPECT_LE(stream->unsent(), kRoom);
  });
  pass(std::chrono::milliseconds(20));
  EXPECT_EQ(told, 0);
  peer->read_on();
  wait([&] { return told > 0; }, "room");
  stream->when_room(kRoom, [&] { ++told; });
  EXPECT_EQ(told, 1) << "not inside the call";
  wait([&] { return told == 2; }, "room that is there already");
  peer->close();
  pass(std::chrono::milliseconds(20));
  stream->when_room(kRoom, [] { FAIL() << "there is no reader"; });
  pass(std::chrono::milliseconds(20));
}

TEST_F(ServerTest, AbortEndsTheStreamWithoutItsLastChunk) {
  serve([&](const Request&, const std::shared_ptr<Exchange>& exchange) {
    exchange->begin(200, {});
    exchange->write(bytes("some"));
    loop_.after(std::chrono::milliseconds(10), [exchange] { exchange->abort(); });
  });
  EXPECT_THAT(answer_to(get_request("/")), EndsWith("4\r\nsome\r\n"));
}

TEST_F(ServerTest, UnansweredExchangesAreEnded) {
  serve([](const Request& request, const std::shared_ptr<Exchange>& exchange) {
    if (request.target == "/stream") exchange->begin(200, {});
  });
  EXPECT_THAT(answer_to(get_request("/") + "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 500 "),
                    EndsWith(status_text(500, "InternalError", "the request was given up unanswered"))));
  EXPECT_THAT(answer_to(get_request("/stream")), EndsWith("chunked\r\n\r\n"));
}

TEST_F(ServerTest, SecondAnswerIsIgnored) {
  std::shared_ptr<Exchange> old;
  serve([&](const Request& request, std::shared_ptr<Exchange> exchange) {
    if (old != nullptr) old->respond(Response{.body = "late"});
    exchange->respond(Response{.body = request.target});
    exchange->respond(Response{.body = "twice"});
    old = std::move(exchange);
  });
  const auto peer = dial();
  peer->send(get_request("/1") + get_request("/2"));
  wait([&] { return peer->received().ends_with("/2"); });
  EXPECT_THAT(peer->received(), AllOf(Not(HasSubstr("late")), Not(HasSubstr("twice"))));
}

TEST_F(ServerTest, LineBreaksInHeaderValuesDoNotSplitTheAnswer) {
  serve([](const Request&, const std::shared_ptr<Exchange>& exchange) {
    exchange->respond(Response{.headers = {{"X", "a\r\nSet-Cookie: b"}, {"Y", std::string("a\0b", 3)}}});
  });
  EXPECT_THAT(answer_to("GET / HTTP/1.0\r\n\r\n"), HasSubstr("X: a  Set-Cookie: b\r\nY: a b\r\n"));
}

}  // namespace
}  // namespace muster::net
