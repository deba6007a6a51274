#include "web/pages/forward.h"

#include <gmock/gmock.h>

#include <deque>

#include "net/event_loop.h"
#include "net/http_client.h"
#include "net/http_server.h"

namespace muster::web {
namespace {

/// A server behind another one: what reaches the first is forwarded to the second.
class ForwardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto behind = behind_.listen("127.0.0.1", 0);
    ASSERT_TRUE(behind) << behind.error().message;
    to_ = std::make_unique<net::HttpClient>(loop_, net::Endpoint{.host = "127.0.0.1", .port = *behind, .tls = false});
    const auto front = front_.listen("127.0.0.1", 0);
    ASSERT_TRUE(front) << front.error().message;
    browser_ =
        std::make_unique<net::HttpClient>(loop_, net::Endpoint{.host = "127.0.0.1", .port = *front, .tls = false});
  }

  struct Answer {
    int status = 0;
    net::Headers headers;
    std::string body;
    bool ended = false;
  };
  net::ResponseSink into(Answer& answer) {
    net::ResponseSink sink;
    sink.on_head = [&answer](int status, const net::Headers& headers) {
      answer.status = status;
      answer.headers = headers;
    };
    sink.on_data = [&answer](std::string_view bytes) { answer.body += bytes; };
    sink.on_end = [&answer](const Status&) { answer.ended = true; };
    return sink;
  }

  net::EventLoop loop_;
  net::Handler program_ = [](const net::Request&, const std::shared_ptr<net::Exchange>& exchange) {
    exchange->respond({.status = 200, .headers = {}, .body = "hello"});
  };
  net::HttpServer behind_{loop_,
                          {},
                          [this](net::Request request, std::shared_ptr<net::Exchange> exchange) {
                            program_(std::move(request), std::move(exchange));
                          },
                          {},
                          nullptr,
                          [](const net::Request& head) { return head.method == "PUT"; }};
  std::unique_ptr<net::HttpClient> to_;
  net::HttpServer front_{loop_,
                         {},
                         [this](net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
                           request.headers = passed_on(request.headers);
                           forward(loop_, *to_, std::move(request), exchange,
                                   {.on_unreachable = [](net::Exchange& client, const Error& error) {
                                     client.respond({.status = 503, .headers = {}, .body = error.message});
                                   }});
                         },
                         {},
                         nullptr,
                         [](const net::Request& head) { return head.method == "PUT"; }};
  std::unique_ptr<net::HttpClient> browser_;
};

TEST_F(ForwardTest, AResponseComesBack) {
  Answer answer;
  const auto call = browser_->send({.method = "GET", .target = "/"}, into(answer));
  loop_.run_until([&] { return answer.ended; });
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello");
}

TEST_F(ForwardTest, HeadTellsTheLengthOfTheBodyThatItLeavesOut) {
  Answer answer;
  const auto call = browser_->send({.method = "HEAD", .target = "/"}, into(answer));
  loop_.run_until([&] { return answer.ended; });
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.count("Content-Length"), 1U);
  EXPECT_EQ(answer.headers.get("Content-Length"), "5");
  EXPECT_EQ(answer.body, "");
}

TEST_F(ForwardTest, HeadOfABodyOfUnknownLengthHasNone) {
  program_ = [](const net::Request&, const std::shared_ptr<net::Exchange>& exchange) {
    exchange->begin(200, {});
    exchange->finish();
  };
  for (int i = 0; i < 2; ++i) {
    Answer answer;
    const auto call = browser_->send({.method = "HEAD", .target = "/"}, into(answer));
    loop_.run_until([&] { return answer.ended; });
    EXPECT_EQ(answer.status, 200);
    EXPECT_FALSE(answer.headers.has("Content-Length"));
  }
}

TEST_F(ForwardTest, ABodyOfAnySizeIsPassedOnAsItArrives) {
  std::size_t received = 0;
  program_ = [&received](const net::Request&, const std::shared_ptr<net::Exchange>& exchange) {
    exchange->read_input({.on_data = [&received](std::string_view bytes) { received += bytes.size(); },
                          .on_end =
                              [&received, exchange] {
                                exchange->respond({.status = 200, .headers = {}, .body = std::to_string(received)});
                              }});
  };
  Answer answer;
  const auto call = browser_->send({.method = "PUT", .target = "/", .streams_body = true}, into(answer));
  const auto piece = std::make_shared<const std::string>(1 << 20, 'x');
  for (int i = 0; i < 8; ++i) call->write(piece);
  call->finish();
  loop_.run_until([&] { return answer.ended; });
  EXPECT_EQ(answer.body, std::to_string(8 << 20));
}

TEST_F(ForwardTest, AnUpgradedConnectionCarriesBytesBothWays) {
  program_ = [](const net::Request&, const std::shared_ptr<net::Exchange>& exchange) {
    exchange->begin(101, {{"Connection", "Upgrade"}, {"Upgrade", "echo"}});
    exchange->read_input({.on_data =
                              [exchange](std::string_view bytes) {
                                exchange->write(std::make_shared<const std::string>("echo " + std::string(bytes)));
                                if (bytes == "bye") exchange->finish();
                              },
                          .on_end = nullptr});
  };
  Answer answer;
  const auto call = browser_->send(
      {.method = "GET", .target = "/", .headers = {{"Connection", "Upgrade"}, {"Upgrade", "echo"}}}, into(answer));
  loop_.run_until([&] { return answer.status != 0; });
  EXPECT_EQ(answer.status, 101);
  call->write(std::make_shared<const std::string>("one"));
  loop_.run_until([&] { return answer.body == "echo one"; });
  call->write(std::make_shared<const std::string>("bye"));
  loop_.run_until([&] { return answer.ended; });
  EXPECT_EQ(answer.body, "echo oneecho bye");
}

TEST_F(ForwardTest, AServerThatDoesNotAnswerIsReported) {
  program_ = [](const net::Request&, const std::shared_ptr<net::Exchange>& exchange) { exchange->abort(); };
  Answer answer;
  const auto call = browser_->send({.method = "GET", .target = "/"}, into(answer));
  loop_.run_until([&] { return answer.ended; });
  EXPECT_EQ(answer.status, 503);
}

TEST(PassedOn, ATokenAmongTheProtocolsOfAWebSocketStaysHere) {
  const net::Headers asked = {{"Connection", "Upgrade"},
                              {"Upgrade", "websocket"},
                              {"Sec-WebSocket-Protocol", "base64url.bearer.authorization.k8s.io.c2VjcmV0, chat"}};
  EXPECT_EQ(passed_on(asked).get("Sec-WebSocket-Protocol"), "chat");
  EXPECT_FALSE(passed_on({{"Sec-WebSocket-Protocol", "base64url.bearer.authorization.k8s.io.c2VjcmV0"}})
                   .has("Sec-WebSocket-Protocol"));
}

TEST(PassedOn, LeavesOutWhatConnectionNames) {
  const net::Headers headers = passed_on(
      {{"Connection", "close, X-Hop"}, {"x-hop", "1"}, {"connection", "X-Other"}, {"X-Other", "2"}, {"X-Kept", "3"}});
  for (const char* name : {"Connection", "X-Hop", "X-Other"}) EXPECT_FALSE(headers.has(name)) << name;
  EXPECT_EQ(headers.get("X-Kept"), "3");
}

TEST(PassedOn, AnUpgradeStaysWithoutWhatElseConnectionNames) {
  const net::Headers headers = passed_on({{"Connection", "keep-alive, Upgrade, X-Hop"},
                                          {"Upgrade", "websocket"},
                                          {"X-Hop", "1"},
                                          {"Sec-WebSocket-Key", "k"}});
  EXPECT_EQ(headers.count("Connection"), 1U);
  EXPECT_EQ(headers.get("Connection"), "Upgrade");
  EXPECT_EQ(headers.get("Upgrade"), "websocket");
  EXPECT_EQ(headers.get("Sec-WebSocket-Key"), "k");
  EXPECT_FALSE(headers.has("X-Hop"));
}

TEST_F(ForwardTest, WhatConnectionNamesStaysInBothDirections) {
  net::Headers received;
  program_ = [&received](const net::Request& request, const std::shared_ptr<net::Exchange>& exchange) {
    received = request.headers;
    exchange->respond(
        {.status = 200, .headers = {{"Connection", "X-Back"}, {"X-Back", "1"}, {"X-Kept", "2"}}, .body = "hello"});
  };
  Answer answer;
  const auto call = browser_->send(
      {.method = "GET", .target = "/", .headers = {{"Connection", "X-Hop"}, {"X-Hop", "1"}, {"X-Sent", "2"}}},
      into(answer));
  loop_.run_until([&] { return answer.ended; });
  EXPECT_FALSE(received.has("X-Hop"));
  EXPECT_EQ(received.get("X-Sent"), "2");
  EXPECT_FALSE(answer.headers.has("X-Back"));
  EXPECT_EQ(answer.headers.get("X-Kept"), "2");
}

TEST(PassedOn, LeavesOutCredentialsAndWhatIsAboutOneConnection) {
  const net::Headers headers = passed_on({{"Authorization", "Bearer secret"},
                                          {"Cookie", "muster=1"},
                                          {"Connection", "keep-alive"},
                                          {"Content-Length", "3"},
                                          {"Accept", "text/html"}});
  EXPECT_EQ(headers.get("Accept"), "text/html");
  for (const char* name : {"Authorization", "Cookie", "Connection", "Content-Length"}) EXPECT_FALSE(headers.has(name));
}

}  // namespace
}  // namespace muster::web
