// Tests of HttpClient against HttpServer, and against a scripted server that misbehaves.
#include "testing/loopback_fixture.h"

namespace muster::net {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ClientTest : public LoopbackTest {
 protected:
  static Request get(std::string target) { return Request{.method = "GET", .target = std::move(target)}; }
};

TEST_F(ClientTest, SendsTheWholeRequestAndGivesBackTheWholeAnswer) {
  Request seen;
  serve([&](Request request, const std::shared_ptr<Exchange>& exchange) {
    seen = std::move(request);
    exchange->respond(Response{.status = 201, .headers = {{"X-Answer", "yes"}}, .body = "made"});
  });
  HttpClient client(loop_, plain());
  const Outcome outcome =
      fetch(client, {.method = "POST", .target = "/a%20b?c=d", .headers = {{"X-Ask", "1"}}, .body = "{}"});
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.target, "/a%20b?c=d");
  EXPECT_EQ(seen.body, "{}");
  EXPECT_EQ(seen.headers.get("host"), "127.0.0.1:" + std::to_string(port_));
  EXPECT_EQ(seen.headers.get("x-ask"), "1");
  EXPECT_TRUE(seen.peer.loopback);
  EXPECT_FALSE(seen.peer.tls);
  EXPECT_EQ(outcome.status, 201);
  EXPECT_EQ(outcome.headers.get("x-answer"), "yes");
  EXPECT_EQ(outcome.body, "made");
  EXPECT_FALSE(outcome.failed);
}

TEST_F(ClientTest, CallbacksAreNeverInline) {
  serve([](const Request&, const std::shared_ptr<Exchange>& exchange) { exchange->respond({}); });
  HttpClient client(loop_, plain());
  Outcome good;
  Outcome bad;
  const auto first = client.send(get("/"), record(good));
  const auto second = client.send(get("/with space"), record(bad));
  EXPECT_FALSE(good.ended);
  EXPECT_FALSE(bad.ended);
  wait([&] { return good.ended && bad.ended; });
  EXPECT_EQ(bad.error, "request: method and path must be printable ASCII without spaces");
}

TEST_F(ClientTest, SendsNothingOnAConnectionThatItsCheckRejects) {
  int requests = 0;
  serve([&](const Request&, const std::shared_ptr<Exchange>& exchange) {
    ++requests;
    exchange->respond({});
  });
  Endpoint endpoint = plain();
  UniqueFunction<void(Status)> judge;
  endpoint.check_connection = [&](int socket, UniqueFunction<void(Status)> done) {
    EXPECT_GE(socket, 0);
    judge = std::move(done);
  };
  HttpClient client(loop_, endpoint);
  Outcome rejected;
  const auto first = client.send(get("/"), record(rejected));
  wait([&] { return static_cast<bool>(judge); });
  EXPECT_EQ(requests, 0);
  std::exchange(judge, nullptr)(Error{.reason = Reason::kConflict, .message = "a stranger"});
  wait([&] { return rejected.ended; });
  EXPECT_THAT(rejected.error, HasSubstr(": a stranger"));
  EXPECT_EQ(requests, 0);
  Outcome good;
  const auto second = client.send(get("/"), record(good));
  wait([&] { return static_cast<bool>(judge); });
  std::exchange(judge, nullptr)(ok());
  wait([&] { return good.ended; });
  EXPECT_EQ(good.error, "");
  EXPECT_EQ(requests, 1);
}

TEST_F(ClientTest, AnEmptySocketIsNotReplacedByOneOfItsOwn) {
  serve([](const Request&, const std::shared_ptr<Exchange>& exchange) { exchange->respond({}); });
  Endpoint endpoint = plain();
  endpoint.open_socket = [this](UniqueFunction<void(Result<Fd>)> done) {
    loop_.post([done = std::move(done)]() mutable { done(Fd()); });
  };
  HttpClient client(loop_, endpoint);
  EXPECT_THAT(fetch(client, get("/")).error, HasSubstr("there is no socket to connect with"));
}

TEST_F(ClientTest, ReusesItsConnection) {
  int requests = 0;
  serve([&](const Request&, const std::shared_ptr<Exchange>& exchange) {
    ++requests;
    exchange->respond(Response{.body = "x"});
  });
  for (const Endpoint& endpoint : {plain(), tls()}) {
    HttpClient client(loop_, endpoint);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(fetch(client, get("/")).body, "x");
    EXPECT_EQ(server_->connections(), 1U);
    fetch(client, {.method = "HEAD", .target = "/"});
    fetch(client, {.method = "POST", .target = "/", .body = std::string(100'000, 'p')});
    EXPECT_EQ(server_->connections(), 1U);
  }
  EXPECT_EQ(requests, 14);
}

TEST_F(ClientTest, RunsRequestsSideBySide) {
  std::vector<std::shared_ptr<Exchange>> waiting;
  serve([&](const Request&, std::shared_ptr<Exchange> exchange) { waiting.push_back(std::move(exchange)); });
  HttpClient client(loop_, plain());
  std::vector<Outcome> outcomes(300);
  std::vector<std::unique_ptr<Call>> calls;
  for (Outcome& outcome : outcomes) calls.push_back(client.send(get("/"), record(outcome)));
  wait([&] { return waiting.size() == 256; }, "as many connections as are allowed");
  pass(std::chrono::milliseconds(10));
  EXPECT_EQ(waiting.size(), 256U);
  calls.pop_back();  // cancels a request that is still queued
  for (std::size_t i = 0; i < 299; ++i) {
    wait([&] { return waiting.size() > i; }, "a waiting request to take its turn");
    waiting[i]->respond({});
  }
  wait([&] { return std::ranges::count(outcomes, true, &Outcome::ended) == 299; });
  EXPECT_FALSE(outcomes.back().ended);
  EXPECT_EQ(waiting.size(), 299U);
}

TEST_F(ClientTest, StreamsDataAsItComes) {
  std::shared_ptr<Exchange> stream;
  serve([&](const Request&, std::shared_ptr<Exchange> exchange) {
    exchange->begin(200, {});
    stream = std::move(exchange);
  });
  for (const Endpoint& endpoint : {plain(), tls()}) {
    HttpClient client(loop_, endpoint);
    Outcome outcome;
    const auto call = client.send(get("/"), record(outcome));
    wait([&] { return outcome.status == 200; }, "the head before any data");
    stream->write(std::make_shared<const std::string>("one"));
    wait([&] { return outcome.body == "one"; });
    stream->write(std::make_shared<const std::string>("two"));
    wait([&] { return outcome.body == "onetwo"; });
    EXPECT_FALSE(outcome.ended);
    stream->finish();
    wait([&] { return outcome.ended; });
    EXPECT_FALSE(outcome.failed);
  }
}

TEST_F(ClientTest, DestroyingTheCallCancelsAndTheServerNotices) {
  for (const bool secure : {false, true}) {
    bool gone = false;
    serve([&](const Request&, const std::shared_ptr<Exchange>& exchange) {
      exchange->begin(200, {});
      exchange->on_gone([&gone, exchange] { gone = true; });
    });
    HttpClient client(loop_, secure ? tls() : plain());
    Outcome outcome;
    auto call = client.send(get("/"), record(outcome));
    wait([&] { return outcome.status == 200; });
    call.reset();
    wait([&] { return gone; }, "on_gone");
    EXPECT_FALSE(outcome.ended);
  }
}

TEST_F(ClientTest, CallMayBeDestroyedInAnyOfItsCallbacks) {
  serve([](const Request&, const std::shared_ptr<Exchange>& exchange) { exchange->respond(Response{.body = "body"}); });
  HttpClient client(loop_, plain());
  for (const int in : {0, 1, 2}) {
    std::unique_ptr<Call> call;
    std::vector<int> came;
    const auto note = [&](int which) {
      came.push_back(which);
      if (which == in) call.reset();
    };
    ResponseSink sink;
    sink.on_head = [&](int, const Headers&) { note(0); };
    sink.on_data = [&](std::string_view) { note(1); };
    sink.on_end = [&](const Status&) { note(2); };
    call = client.send(get("/"), std::move(sink));
    wait([&] { return !came.empty() && came.back() == in; });
    pass(std::chrono::milliseconds(2));
    EXPECT_EQ(came.size(), static_cast<std::size_t>(in) + 1) << "nothing after the destruction";
  }
  EXPECT_EQ(fetch(client, get("/")).body, "body");
}

TEST_F(ClientTest, CallMayBeDestroyedWhenItIsSent) {
  serve([](const Request&, const std::shared_ptr<Exchange>& exchange) { exchange->respond({}); });
  HttpClient client(loop_, plain());
  std::unique_ptr<Call> call;
  bool sent = false;
  Outcome never;
  ResponseSink sink = record(never);
  sink.on_sent = [&] {
    sent = true;
    call.reset();
  };
  call = client.send(get("/"), std::move(sink));
  wait([&] { return sent; });
  EXPECT_EQ(fetch(client, get("/")).status, 200);
  EXPECT_FALSE(never.ended);
}

TEST_F(ClientTest, OldCallDoesNotEndTheRequestThatFollowsOnItsConnection) {
  std::shared_ptr<Exchange> waiting;
  serve([&](const Request& request, std::shared_ptr<Exchange> exchange) {
    if (request.target == "/1") {
      exchange->respond({});
    } else {
      waiting = std::move(exchange);
    }
  });
  HttpClient client(loop_, plain());
  Outcome first;
  Outcome second;
  auto old = client.send(get("/1"), record(first));
  wait([&] { return first.ended; });
  const auto call = client.send(get("/2"), record(second));
  wait([&] { return waiting != nullptr; });
  old.reset();
  waiting->respond(Response{.body = "two"});
  wait([&] { return second.ended; });
  EXPECT_EQ(second.body, "two");
}

TEST_F(ClientTest, DestroyingTheClientSilencesItsCalls) {
  std::shared_ptr<Exchange> waiting;
  serve([&](const Request&, std::shared_ptr<Exchange> exchange) { waiting = std::move(exchange); });
  auto client = std::make_unique<HttpClient>(loop_, plain());
  Outcome outcome;
  const auto call = client->send(get("/"), record(outcome));
  wait([&] { return waiting != nullptr; });
  client.reset();
  pass(std::chrono::milliseconds(5));
  EXPECT_FALSE(outcome.ended);
}

TEST_F(ClientTest, VerifiesTheServer) {
  serve([](const Request& request, const std::shared_ptr<Exchange>& exchange) {
    exchange->respond(Response{.body = request.peer.tls ? "tls" : "plain"});
  });
  const std::string refused =
      "cannot connect to 127.0.0.1:" + std::to_string(port_) + ": TLS: certificate not accepted: ";
  const auto ask = [&](Endpoint endpoint) {
    HttpClient client(loop_, std::move(endpoint));
    const Outcome outcome = fetch(client, get("/"));
    return outcome.failed ? outcome.error : outcome.body;
  };
  Endpoint endpoint = tls();
  EXPECT_EQ(ask(endpoint), "tls");
  endpoint.server_name = "localhost";
  EXPECT_EQ(ask(endpoint), "tls");
  endpoint.server_name = "elsewhere.example";
  EXPECT_EQ(ask(endpoint), refused + "hostname mismatch");
  endpoint.server_name = "127.0.0.2";
  EXPECT_EQ(ask(endpoint), refused + "IP address mismatch");
  endpoint = tls();
  endpoint.ca_pem = make_ca(std::chrono::system_clock::now())->certificate_pem;
  EXPECT_THAT(ask(endpoint), StartsWith(refused));
  endpoint.insecure_skip_verify = true;
  EXPECT_EQ(ask(endpoint), "tls");
  endpoint = tls();
  endpoint.ca_pem = "";
  EXPECT_THAT(ask(endpoint), StartsWith(refused)) << "the system does not know our authority";
}

TEST_F(ClientTest, BadTlsMaterialIsSaid) {
  Endpoint endpoint{.host = "localhost", .port = 1, .ca_pem = "junk"};
  HttpClient client(loop_, endpoint);
  EXPECT_THAT(fetch(client, get("/")).error, StartsWith("TLS to localhost:1: certificate authority: "));
  endpoint.ca_pem = ca().certificate_pem;
  endpoint.client_certificate_pem = certificate().certificate_pem;
  endpoint.client_key_pem = ca().key_pem;
  HttpClient other(loop_, endpoint);
  EXPECT_THAT(fetch(other, get("/")).error, StartsWith("TLS to localhost:1: private key of the certificate: "));
}

TEST_F(ClientTest, NamesAreResolved) {
  serve([](const Request&, const std::shared_ptr<Exchange>& exchange) { exchange->respond(Response{.body = "hi"}); });
  Endpoint endpoint = tls();
  endpoint.host = "localhost";
  HttpClient client(loop_, endpoint);
  EXPECT_EQ(fetch(client, get("/")).body, "hi");
}

TEST_F(ClientTest, FailedConnectionsSayWhat) {
  serve([](const Request&, const std::shared_ptr<Exchange>&) {});
  Endpoint endpoint = plain();
  server_.reset();
  HttpClient refused(loop_, endpoint);
  const Outcome outcome = fetch(refused, get("/"));
  EXPECT_EQ(outcome.error, "cannot connect to 127.0.0.1:" + std::to_string(port_) + ": connection refused");
  HttpClient missing(loop_, Endpoint{.unix_path = "/tmp/muster-no-such.sock", .tls = false});
  EXPECT_EQ(fetch(missing, get("/")).error,
            "cannot connect to unix:/tmp/muster-no-such.sock: no such file or directory");
  HttpClient unknown(loop_, Endpoint{.host = "no.such.host.invalid", .port = 1, .tls = false});
  EXPECT_THAT(fetch(unknown, get("/")).error, StartsWith("cannot connect to no.such.host.invalid:1: "));
}

/// A scripted server: the test controls each connection and each response.
class ScriptedServerTest : public ClientTest {
 protected:
  ScriptedServerTest() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    socklen_t length = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    watch_ = loop_.on_readable(listener_, [this] {
      peers_.push_back(std::make_unique<RawPeer>(loop_, ::accept(listener_, nullptr, nullptr)));
    });
  }
  ~ScriptedServerTest() override {
    loop_.cancel(watch_);
    ::close(listener_);
  }

  /// Waits until what the n-th connection has sent ends with `end`.
  RawPeer& request_on(std::size_t n, std::string_view end) {
    wait([&] { return peers_.size() > n && peers_[n]->received().ends_with(end); }, "a request");
    return *peers_[n];
  }

  int listener_ = -1;
  Loop::Id watch_ = 0;
  std::vector<std::unique_ptr<RawPeer>> peers_;
};

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

TEST_F(ScriptedServerTest, RetriesOnceOnAConnectionThatWentStale) {
  HttpClient client(loop_, plain());
  Outcome first;
  const auto one = client.send(get("/1"), record(first));
  request_on(0, "\r\n\r\n").send(kOk);
  wait([&] { return first.ended; });
  Outcome second;
  const auto two = client.send(get("/2"), record(second));
  request_on(0, "GET /2 HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n\r\n").close();
  request_on(1, "\r\n\r\n").send(kOk);
  wait([&] { return second.ended; });
  EXPECT_FALSE(second.failed);
  EXPECT_EQ(second.body, "ok");
}

TEST_F(ScriptedServerTest, DoesNotRetryWhatMayHaveBeenDone) {
  HttpClient client(loop_, plain());
  Outcome first;
  const auto one = client.send(get("/1"), record(first));
  request_on(0, "\r\n\r\n").send(kOk);
  wait([&] { return first.ended; });
  Outcome second;
  const auto two = client.send({.method = "POST", .target = "/", .body = "make it"}, record(second));
  request_on(0, "make it").close();
  wait([&] { return second.ended; });
  EXPECT_EQ(second.error, "connection to 127.0.0.1:" + std::to_string(port_) +
                              " lost before the answer was complete: connection closed");
  EXPECT_EQ(peers_.size(), 1U);
}

TEST_F(ScriptedServerTest, IdleConnectionThatWasClosedIsNotUsed) {
  HttpClient client(loop_, plain());
  Outcome first;
  const auto one = client.send(get("/1"), record(first));
  RawPeer& peer = request_on(0, "\r\n\r\n");
  peer.send(kOk);
  wait([&] { return first.ended; });
  peer.close();  // the client's loop has not noticed this yet
  Outcome second;
  const auto two = client.send({.method = "POST", .target = "/", .body = "x"}, record(second));
  request_on(1, "x").send(kOk);
  wait([&] { return second.ended; });
  EXPECT_FALSE(second.failed);
}

TEST_F(ScriptedServerTest, FreshConnectionThatIsClosedIsAnError) {
  HttpClient client(loop_, plain());
  Outcome outcome;
  const auto call = client.send(get("/"), record(outcome));
  request_on(0, "\r\n\r\n").close();
  wait([&] { return outcome.ended; });
  EXPECT_THAT(outcome.error, HasSubstr("lost before the answer was complete"));
  EXPECT_EQ(peers_.size(), 1U);
}

TEST_F(ScriptedServerTest, CutAnswersAreErrors) {
  for (const std::string_view sent : {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "HTTP/1.1 200 OK\r\nConte",
                                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"}) {
    const std::size_t n = peers_.size();
    HttpClient client(loop_, plain());
    Outcome outcome;
    const auto call = client.send(get("/"), record(outcome));
    RawPeer& peer = request_on(n, "\r\n\r\n");
    peer.send(sent);
    peer.close();
    wait([&] { return outcome.ended; });
    EXPECT_TRUE(outcome.failed) << sent;
  }
}

TEST_F(ScriptedServerTest, ChunksMayBeCutAnywhere) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string chunks = "6\r\none\ntw\r\n1;x=y\r\no\r\n6\r\n\nthree\r\n0\r\nA-Trailer: t\r\n\r\n";
  HttpClient client(loop_, plain());
  for (std::size_t cut = 0; cut <= chunks.size(); ++cut) {
    Outcome outcome;
    const std::string path = "/" + std::to_string(cut);
    const auto call = client.send(get(path), record(outcome));
    // All requests use the same connection.
    RawPeer& peer = request_on(0, "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n\r\n");
    peer.send(head + chunks.substr(0, cut));
    pass(std::chrono::milliseconds(1));
    peer.send(chunks.substr(cut));
    wait([&] { return outcome.ended; });
    EXPECT_FALSE(outcome.failed) << "cut at " << cut << ": " << outcome.error;
    EXPECT_EQ(outcome.body, "one\ntwo\nthree") << "cut at " << cut;
  }
}

TEST_F(ScriptedServerTest, WhatFollowsTheLastChunkEndsTheConnection) {
  HttpClient client(loop_, plain());
  Outcome first;
  const auto one = client.send(get("/1"), record(first));
  RawPeer& peer = request_on(0, "\r\n\r\n");
  peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n");
  wait([&] { return first.body == "ok"; });
  peer.send("0\r\n\r\nHTTP/1.1 200 OK\r\n");
  wait([&] { return first.ended; });
  EXPECT_FALSE(first.failed);
  Outcome second;
  const auto two = client.send(get("/2"), record(second));
  request_on(1, "\r\n\r\n").send(kOk);
  wait([&] { return second.ended; });
  EXPECT_FALSE(second.failed);
}

TEST_F(ScriptedServerTest, BodyWithoutALengthEndsWithTheConnection) {
  HttpClient client(loop_, plain());
  Outcome outcome;
  const auto call = client.send(get("/"), record(outcome));
  RawPeer& peer = request_on(0, "\r\n\r\n");
  peer.send("HTTP/1.0 200 OK\r\n\r\nall of it");
  peer.close();
  wait([&] { return outcome.ended; });
  EXPECT_FALSE(outcome.failed);
  EXPECT_EQ(outcome.body, "all of it");
}

TEST_F(ScriptedServerTest, InterimAnswersAreSkippedAndOtherBytesRefused) {
  HttpClient client(loop_, plain());
  Outcome outcome;
  const auto call = client.send(get("/"), record(outcome));
  request_on(0, "\r\n\r\n").send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nX: 1\r\n\r\n" + std::string(kOk));
  wait([&] { return outcome.ended; });
  EXPECT_EQ(outcome.status, 200);
  Outcome second;
  const auto other = client.send(get("/"), record(second));
  request_on(0, "\r\n\r\n").send("SSH-2.0-OpenSSH\r\n\r\n");
  wait([&] { return second.ended; });
  EXPECT_THAT(second.error, StartsWith("127.0.0.1:" + std::to_string(port_) + " does not answer in HTTP: "));
  EXPECT_EQ(second.reason, Reason::kBadGateway);
}

TEST_F(ScriptedServerTest, NoHeaderHasALineBreakOrAnotherControlCharacter) {
  HttpClient client(loop_, plain());
  for (const std::string& value : {std::string("a\r\nX-Injected: 1"), std::string("a\n"), std::string("a\0b", 3)}) {
    Request request = get("/");
    request.headers.set("Authorization", value);
    const Outcome outcome = fetch(client, request);
    EXPECT_EQ(outcome.error, "request: header Authorization: must have no line break or other control character");
    EXPECT_EQ(outcome.reason, Reason::kBadRequest);
  }
  Request request = get("/");
  request.headers.set("X: 1\r\nY", "1");
  EXPECT_THAT(fetch(client, request).error, StartsWith("request: the name of a header must be printable ASCII"));
  EXPECT_EQ(peers_.size(), 0U) << "nothing was sent";
}

TEST_F(ScriptedServerTest, SilentServerRunsIntoTheConnectTimeout) {
  Endpoint endpoint = tls();
  endpoint.connect_timeout = std::chrono::milliseconds(50);
  HttpClient client(loop_, endpoint);
  EXPECT_EQ(fetch(client, get("/")).error,
            "cannot connect to 127.0.0.1:" + std::to_string(port_) + ": no answer within 50 ms");
}

TEST_F(ScriptedServerTest, AnswerThatComesBeforeTheWholeRequestWasSentIsTaken) {
  HttpClient client(loop_, plain());
  Outcome outcome;
  const auto call =
      client.send({.method = "POST", .target = "/", .body = std::string(32 * 1024 * 1024, 'x')}, record(outcome));
  wait([&] { return peers_.size() == 1; });
  peers_[0]->stop_reading();
  peers_[0]->send("HTTP/1.1 413 Payload Too Large\r\nContent-Length: 0\r\n\r\n");
  wait([&] { return outcome.ended; });
  EXPECT_EQ(outcome.status, 413);
  EXPECT_FALSE(outcome.failed);
}

TEST_F(ScriptedServerTest, ConnectionWhoseAnswerOvertookTheRequestIsUsedAgain) {
  HttpClient client(loop_, plain());
  Outcome early;
  const std::string body = std::string(32 * 1024 * 1024, 'x') + "end";
  const auto call = client.send({.method = "POST", .target = "/", .body = body}, record(early));
  wait([&] { return peers_.size() == 1; });
  peers_[0]->stop_reading();
  peers_[0]->send(kOk);
  wait([&] { return early.ended; });
  peers_[0]->read_on();
  request_on(0, "xend");

  Outcome next;
  const auto second = client.send(get("/next"), record(next));
  request_on(0, "\r\n\r\n").send(kOk);
  wait([&] { return next.ended; });
  EXPECT_EQ(next.body, "ok");
  EXPECT_EQ(peers_.size(), 1u);
}

}  // namespace
}  // namespace muster::net
