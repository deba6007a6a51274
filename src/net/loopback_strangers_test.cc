// What HttpServer does with peers that have not shown credentials, and who makes room when there are too many.
#include <fcntl.h>
#include <sys/resource.h>

#include <filesystem>

#include "testing/loopback_fixture.h"

namespace muster::net {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr Duration kLong = std::chrono::seconds(5);

class StrangersTest : public LoopbackTest {
 protected:
  /// Knows whoever has a token. Requests for /wait are left unanswered.
  void serve_known(ServerLimits limits = {}) {
    serve(
        [this](const Request& request, std::shared_ptr<Exchange> exchange) {
          largest_body_ = std::max(largest_body_, request.body.size());
          if (request.target == "/wait") {
            waiting_.push_back(std::move(exchange));
          } else {
            exchange->respond(Response{.status = request.headers.has("Authorization") ? 200 : 401, .body = "answer"});
          }
        },
        limits, "127.0.0.1", [](const Request& head) { return head.headers.has("Authorization"); });
  }

  std::unique_ptr<RawPeer> known(std::string_view target) {
    auto peer = dial();
    peer->send("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\n\r\n");
    return peer;
  }
  std::unique_ptr<RawPeer> answered() {
    auto peer = known("/");
    wait([&] { return peer->received().ends_with("answer"); }, "an answer to one who is known");
    return peer;
  }
  void wait_for_connections(std::size_t count) {
    wait([&] { return server_->connections() == count; }, "connections");
  }

  std::size_t largest_body_ = 0;
  std::vector<std::shared_ptr<Exchange>> waiting_;
};

TEST_F(StrangersTest, BodyOfAStrangerIsNeverRead) {
  serve_known();
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n";
  const std::string body(2000000, 'x');
  EXPECT_THAT(answer_to(post + "\r\n" + body.substr(0, 3000)),
              AllOf(StartsWith("HTTP/1.1 401 "), EndsWith("Connection: close\r\n\r\nanswer")));
  EXPECT_THAT(answer_to(post + "\r\n" + body), StartsWith("HTTP/1.1 401 ")) << "the answer survives the rest";
  EXPECT_THAT(answer_to(post + "Expect: 100-continue\r\n\r\n"), Not(HasSubstr("100 Continue")));
  EXPECT_EQ(largest_body_, 0U);
  EXPECT_THAT(answer_to(post + "Connection: close\r\nAuthorization: x\r\n\r\n" + body), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(largest_body_, body.size());
}

TEST_F(StrangersTest, StrangerThatKeepsSendingIsCutOff) {
  ServerLimits limits;
  limits.body_bytes = 100000;
  limits.linger_timeout = kLong;
  serve_known(limits);
  const auto peer = dial();
  peer->send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 1000 && server_->connections() > 0; ++i) {
    peer->send(std::string(1000, 'x'));
    pass(std::chrono::microseconds(100));
  }
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(StrangersTest, CredentialsHoldForOneRequest) {
  serve_known();
  const auto peer = answered();
  peer->send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  wait([&] { return peer->ended(); }, "the server to close");
  EXPECT_THAT(peer->received(), HasSubstr("HTTP/1.1 401 "));
}

TEST_F(StrangersTest, OneDeadlineHoldsForEverythingUpToTheHead) {
  ServerLimits limits;
  limits.head_timeout = std::chrono::milliseconds(200);
  limits.idle_timeout = kLong;
  serve_known(limits);
  const auto silent = dial();
  const auto patient = answered();
  const auto slow = dial();
  const MonoTime began = loop_.mono();
  slow->send("GET / HTTP/1.1\r\nHost: a\r\n");
  while (!slow->ended() && loop_.mono() - began < kLong) {
    slow->send("X: 1\r\n");
    pass(std::chrono::milliseconds(20));
  }
  EXPECT_LT(loop_.mono() - began, kLong);
  EXPECT_TRUE(silent->ended());
  EXPECT_FALSE(patient->ended());
}

TEST_F(StrangersTest, OldestStrangerMakesRoom) {
  ServerLimits limits;
  limits.strangers = 3;
  limits.stranger_patience = std::chrono::milliseconds(0);
  serve_known(limits);
  const auto first = dial();
  const auto second = dial();
  const auto third = dial();
  wait_for_connections(3);
  const auto owner = answered();
  EXPECT_TRUE(first->ended());
  EXPECT_FALSE(second->ended());
  const auto fourth = dial();
  wait_for_connections(4);
  EXPECT_FALSE(second->ended()) << "who is known takes no stranger's place";
}

TEST_F(StrangersTest, ABurstOfClientsLosesNone) {
  ServerLimits limits;
  limits.strangers = 4;
  limits.stranger_patience = kLong;
  serve_known(limits);
  std::vector<std::unique_ptr<RawPeer>> peers;
  for (int i = 0; i < 50; ++i) peers.push_back(known("/"));
  for (const auto& peer : peers) {
    wait([&] { return peer->received().ends_with("answer"); }, "every answer");
  }
}

TEST_F(StrangersTest, LongestIdleConnectionMakesRoomAndBusyOnesDoNot) {
  ServerLimits limits;
  limits.connections = 2;
  serve_known(limits);
  const auto busy = known("/wait");
  wait([&] { return waiting_.size() == 1; }, "the first request");
  const auto idle = answered();
  const auto next = known("/wait");
  wait([&] { return waiting_.size() == 2; }, "the second request");
  wait([&] { return idle->ended(); }, "the idle connection to make room");
  const auto one_too_many = known("/");
  wait([&] { return one_too_many->ended(); }, "the refusal");
  EXPECT_THAT(one_too_many->received(),
              AllOf(StartsWith("HTTP/1.1 503 Service Unavailable\r\n"), HasSubstr("Retry-After: 1\r\n"),
                    HasSubstr("too many connections; try again shortly")));
  waiting_.clear();
  wait([&] { return busy->received().ends_with("}"); }, "the answer to the first");
  answered();
}

TEST_F(StrangersTest, UnixSocketHasPlacesOfItsOwn) {
  char pattern[] = "/tmp/muster-net-XXXXXX";
  const std::string folder = ::mkdtemp(pattern);
  ServerLimits limits;
  limits.connections = 1;
  limits.strangers = 2;
  limits.stranger_patience = kLong;
  serve_known(limits);
  ASSERT_TRUE(server_->listen_unix(folder + "/api.sock").has_value());
  const auto busy = known("/wait");
  wait([&] { return waiting_.size() == 1; }, "the request");
  const auto first = dial();
  const auto second = dial();
  const auto queued = dial();
  wait_for_connections(3);
  HttpClient client(loop_, Endpoint{.unix_path = folder + "/api.sock", .tls = false});
  Request request{.method = "GET", .target = "/"};
  request.headers.set("Authorization", "x");
  EXPECT_EQ(fetch(client, request).body, "answer");
  std::filesystem::remove_all(folder);
}

TEST_F(StrangersTest, StrangersMakeRoomWhenDescriptorsRunOut) {
  SKIP_IF_DESCRIPTORS_ARE_NEEDED();
  serve_known();
  const auto stranger = dial();
  wait_for_connections(1);
  const auto owner = known("/");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::open("/dev/null", O_RDONLY);  // the lowest free number: nothing above it may be opened
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(next) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  wait([&] { return owner->received().ends_with("answer"); }, "the owner to be let in");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ::close(next);
  EXPECT_TRUE(stranger->ended());
}

}  // namespace
}  // namespace muster::net
