#include "web/console/stream_socket.h"

#include <gmock/gmock.h>

#include "net/web_socket.h"
#include "testing/fake_transport.h"
#include "testing/sim_loop.h"

namespace muster::web {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kPods = R"({"open": 1, "path": "/api/v1/pods?watch=true"})";

/// The server's side of a connection whose other side is the test.
class TestExchange final : public net::Exchange {
 public:
  void respond(net::Response response) override { status = response.status, body = response.body; }
  void begin(int code, net::Headers headers) override {
    status = code;
    protocol = headers.get("Sec-WebSocket-Protocol");
  }
  void write(net::Bytes bytes) override {
    (void)reader.put(*bytes, [this](const net::FramePiece& piece) {
      const bool is_close = piece.kind == net::FramePiece::Kind::kClose;
      if (is_close) close_reason = piece.bytes.substr(2);
      if (piece.kind == net::FramePiece::Kind::kMessage) messages.emplace_back(piece.bytes);
      return true;
    });
  }
  void finish() override { finished = true; }
  std::size_t unsent() const override { return waiting; }
  void when_room(std::size_t, Task task) override { on_room = std::move(task); }
  void read_input(net::InputSink given) override { input = std::move(given); }
  void pause_input() override { input_paused = true; }
  void resume_input() override { input_paused = false; }
  void abort() override { finished = true; }
  void on_gone(Task task) override { gone = std::move(task); }

  int status = 0;
  std::string body;
  std::string protocol;
  std::vector<std::string> messages;
  std::string close_reason;
  bool finished = false;
  bool input_paused = false;
  std::size_t waiting = 0;
  Task on_room;
  Task gone;
  net::InputSink input;
  net::FrameReader reader{net::WebSocketRole::kClient, net::WebSocket::kMaxMessage};
};

class StreamSocketTest : public ::testing::Test {
 protected:
  /// The connection ends: until then the socket and its exchange hold each other.
  ~StreamSocketTest() override {
    if (auto gone = std::exchange(exchange_->gone, nullptr)) gone();
    loop_.settle();
  }

  void connect(const std::vector<std::string>& protocols = {"stream.muster.dev"}) {
    apiserver::RoutedRequest request;
    request.http.method = "GET";
    request.http.headers = net::make_handshake("dGhlIHNhbXBsZSBub25jZQ==", protocols);
    stream_route(loop_, api_).handle(std::move(request), exchange_);
  }
  void send(std::string_view text) {
    exchange_->input.on_data(net::make_frame(1, "", text, 0x01020304));
    loop_.settle();
  }

  testing::SimLoop loop_;
  client::FakeTransport api_{loop_};
  std::shared_ptr<TestExchange> exchange_ = std::make_shared<TestExchange>();
};

TEST_F(StreamSocketTest, LinesComeUnderTheNumberOfTheirStream) {
  connect();
  EXPECT_EQ(exchange_->status, 101);
  EXPECT_EQ(exchange_->protocol, "stream.muster.dev");
  send(kPods);
  send(R"({"open": 2, "path": "/api/v1/namespaces/d/pods/p/log?follow=true"})");
  ASSERT_EQ(api_.count(), 2u);
  EXPECT_EQ(api_.request(0).target, "/api/v1/pods?watch=true");
  api_.head(0, 200);
  api_.head(1, 200);
  api_.data(0, "one\ntw");
  api_.data(1, "epoch 1\n");
  api_.data(0, "o\n");
  loop_.settle();
  EXPECT_THAT(exchange_->messages, ElementsAre("{\"id\":1}\none\ntwo\n", "{\"id\":2}\nepoch 1\n"));
}

TEST_F(StreamSocketTest, EndsAreReportedWithTheServersStatus) {
  connect();
  send(kPods);
  api_.head(0, 200);
  api_.data(0, "rest");
  api_.end(0);
  loop_.settle();
  EXPECT_THAT(exchange_->messages, ElementsAre("{\"id\":1}\nrest", R"({"id":1,"end":null})"));
  send(kPods);  // the number is free again
  api_.head(1, 403);
  api_.data(1, R"({"kind":"Status","code":403})");
  api_.end(1);
  loop_.settle();
  EXPECT_EQ(exchange_->messages.back(), R"({"id":1,"end":{"kind":"Status","code":403}})");
}

TEST_F(StreamSocketTest, AClosedStreamIsCancelledAndSoAreAllWhenTheClientLeaves) {
  connect();
  send(kPods);
  send(R"({"open": 2, "path": "/api/v1/nodes?watch=true"})");
  send(R"({"close": 1})");
  EXPECT_TRUE(api_.cancelled(0));
  EXPECT_FALSE(api_.cancelled(1));
  exchange_->gone();
  loop_.settle();
  EXPECT_TRUE(api_.cancelled(1));
}

TEST_F(StreamSocketTest, WrongMessagesCloseTheSocketWithTheReason) {
  connect();
  send(R"({"open": 1, "path": "/console/"})");
  EXPECT_THAT(exchange_->close_reason, HasSubstr("path: must be one of the API"));
  EXPECT_TRUE(exchange_->finished);
}

TEST_F(StreamSocketTest, AClientThatDoesNotReadCannotSendMoreOrders) {
  connect();
  exchange_->waiting = 2 << 20;
  send(R"({"open": 1, "path": "/api/none"})");
  api_.head(0, 404);
  api_.end(0);
  loop_.settle();
  EXPECT_TRUE(exchange_->input_paused);
  exchange_->waiting = 0;
  std::exchange(exchange_->on_room, nullptr)();
  EXPECT_FALSE(exchange_->input_paused);
}

TEST_F(StreamSocketTest, AClientThatDoesNotReadForAMinuteIsLeft) {
  connect();
  send(kPods);
  exchange_->waiting = 2 << 20;
  api_.head(0, 200);
  api_.data(0, "line\n");
  loop_.advance(std::chrono::seconds(59));
  EXPECT_FALSE(exchange_->finished);
  exchange_->waiting = 0;
  std::exchange(exchange_->on_room, nullptr)();
  loop_.advance(std::chrono::seconds(100));
  EXPECT_FALSE(exchange_->finished) << "it has read";
  exchange_->waiting = 2 << 20;
  api_.data(0, "line\n");
  loop_.advance(std::chrono::seconds(61));
  EXPECT_TRUE(exchange_->finished);
  EXPECT_EQ(exchange_->close_reason, "the client does not read");
  EXPECT_TRUE(api_.cancelled(0));
}

TEST_F(StreamSocketTest, ThereIsABoundOfSockets) {
  const auto route = stream_route(loop_, api_);
  apiserver::RoutedRequest request;
  request.http.method = "GET";
  request.http.headers = net::make_handshake("dGhlIHNhbXBsZSBub25jZQ==", {"stream.muster.dev"});
  std::vector<std::shared_ptr<TestExchange>> open;
  const auto connect_one = [&] {
    auto made = std::make_shared<TestExchange>();
    route.handle(apiserver::RoutedRequest(request), made);
    return made;
  };
  for (int i = 0; i < 256; ++i) open.push_back(connect_one());
  for (const auto& one : open) EXPECT_EQ(one->status, 101);
  EXPECT_EQ(connect_one()->status, 429);
  std::exchange(open.back()->gone, nullptr)();
  loop_.settle();
  open.back() = connect_one();
  EXPECT_EQ(open.back()->status, 101);
  for (const auto& one : open) std::exchange(one->gone, nullptr)();
  loop_.settle();
}

TEST_F(StreamSocketTest, AnotherProtocolIsRefused) {
  connect({"v5.channel.k8s.io"});
  EXPECT_EQ(exchange_->status, 400);
  EXPECT_THAT(exchange_->body, HasSubstr("must offer stream.muster.dev"));
}

TEST(StreamOrderTest, WhatIsNoOrderIsRefused) {
  for (const char* text : {"", "[]", "{}", R"({"open": "1"})", R"({"open": 1})", R"({"open": 1, "path": "api"})",
                           R"({"open": 1, "path": "/api/v1/pods", "fields": [1]})"}) {
    EXPECT_FALSE(parse_stream_order(text)) << text;
  }
}

TEST(StreamLinesTest, OnlyTheWantedFieldsOfEventsRemain) {
  StreamLines lines({"metadata.name", "status"});
  EXPECT_EQ(lines.take(R"({"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","uid":"u"},"status":{"p":1}}})"
                       "\n"),
            R"({"type":"ADDED","object":{"metadata":{"name":"a"},"status":{"p":1}}})"
            "\n");
  const std::string bookmark = R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}})"
                               "\n";
  EXPECT_EQ(lines.take(bookmark), bookmark);
}

const std::string kMembersOfJob =
    R"("metadata":{"name":"a","uid":"u","resourceVersion":"7"},"spec":{"pytorchReplicaSpecs":{"Worker":{"replicas":2,)"
    R"("template":{"spec":{"containers":[{"name":"pytorch","image":"i"}]}}}}},"status":{"conditions":)"
    R"([{"type":"Running","status":"True"}]}})";

TEST(StreamLinesTest, WhatALogWritesOverIsALineOfItsOwn) {
  StreamLines lines({});
  EXPECT_EQ(lines.take("T 10%\rT 5"), "T 10%\r\n");
  EXPECT_EQ(lines.take("0%\rT loss 0.3\n"), "T 50%\r\nT loss 0.3\n");
}

TEST(StreamLinesTest, EventsOfJobsHaveTheirSummary) {
  SummaryCache cache;
  StreamLines lines({"metadata.name", "summary"}, &cache);
  const std::string event =
      R"({"type":"ADDED","object":{"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob",)" + kMembersOfJob + "}\n";
  const std::string first = lines.take(event);
  const auto sent = json::parse(first);
  const json::Document* object = sent->find("object");
  EXPECT_EQ(object->string_at("summary", "state"), "Running");
  EXPECT_EQ(object->int_at("summary", "replicas", "wanted"), 2);
  EXPECT_EQ(object->find("spec"), nullptr);
  EXPECT_EQ(lines.take(event), first);
  EXPECT_NE(cache.find("u", "7"), nullptr);
  EXPECT_EQ(cache.find("u", "8"), nullptr);
  EXPECT_EQ(lines.take(R"({"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a"}}})"
                       "\n"),
            R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})"
            "\n");
}

TEST(StreamLinesTest, TheItemsOfAListAreOfItsKind) {
  StreamLines lines({"metadata.name", "summary"});
  EXPECT_EQ(
      lines.take(R"({"kind":"PyTorchJobList","apiVersion":"kubeflow.org/v1","metadata":{"continue":"c"},"items":[{)" +
                 kMembersOfJob + "]}"),
      "");
  const auto list = json::parse(lines.take_rest());
  ASSERT_TRUE(list);
  EXPECT_EQ(list->string_at("metadata", "continue"), "c");
  const json::Document& job = list->array_at("items")[0];
  EXPECT_EQ(job.string_at("metadata", "name"), "a");
  EXPECT_EQ(job.string_at("summary", "state"), "Running");
  EXPECT_EQ(job.find("spec"), nullptr);
}

}  // namespace
}  // namespace muster::web
