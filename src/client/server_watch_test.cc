#include "client/server_watch.h"

#include <gmock/gmock.h>

#include "testing/fake_transport.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::client {
namespace {

using std::chrono::seconds;

class ServerWatchTest : public ::testing::Test {
 protected:
  void SetUp() override { watch_.start(); }
  void answer() {
    server_.reply(server_.count() - 1, 200, R"({"gitVersion":"v1.35.0"})");
    loop_.settle();
  }
  void refuse() {
    const Error refused{.reason = Reason::kServiceUnavailable, .message = "connection refused"};
    server_.end(server_.count() - 1, refused);
    loop_.settle();
  }

  muster::testing::SimLoop loop_;
  muster::testing::SeededRng rng_;
  FakeTransport server_{loop_};
  ServerWatch watch_{loop_, rng_, server_};
};

TEST_F(ServerWatchTest, AServerThatIsAbsentAtFirstIsAskedUntilItAnswers) {
  EXPECT_EQ(watch_.problem(), "it was not asked yet");
  Duration longest{0};
  for (int i = 0; i < 20; ++i) {
    refuse();
    EXPECT_EQ(watch_.problem(), "connection refused");
    longest = std::max(longest, loop_.until_next_timer());
    loop_.advance(loop_.until_next_timer());
  }
  EXPECT_EQ(server_.count(), 21u);
  EXPECT_GE(longest, seconds(7)) << "the pauses grow";
  EXPECT_LE(longest, seconds(13));
  EXPECT_FALSE(watch_.version());
  answer();
  EXPECT_EQ(watch_.problem(), "");
  EXPECT_EQ(watch_.version()->string_at("gitVersion"), "v1.35.0");
}

TEST_F(ServerWatchTest, AServerThatFallsSilentIsNoticed) {
  answer();
  loop_.advance(seconds(10));
  EXPECT_EQ(watch_.problem(), "") << "the next question is open";
  loop_.advance(seconds(5));
  EXPECT_EQ(watch_.problem(), "it does not answer");
  loop_.advance(seconds(1));
  EXPECT_TRUE(server_.cancelled(1));
  EXPECT_EQ(server_.count(), 3u);
  answer();
  EXPECT_EQ(watch_.problem(), "");
}

TEST_F(ServerWatchTest, AnAnswerThatIsNoVersionIsNone) {
  server_.reply(0, 200, "<html>welcome</html>");
  loop_.settle();
  EXPECT_EQ(watch_.problem(), "its response to GET /version is not a version of Kubernetes");
}

}  // namespace
}  // namespace muster::client
