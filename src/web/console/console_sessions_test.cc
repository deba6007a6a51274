#include "web/console/console_sessions.h"

#include <gtest/gtest.h>

#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::web {
namespace {

class ConsoleSessionsTest : public ::testing::Test {
 protected:
  testing::SimLoop loop_;
  testing::SeededRng rng_{1};
  ConsoleSessions sessions_{loop_, rng_, "key"};
};

TEST_F(ConsoleSessionsTest, ASessionIsOpenForTwelveHours) {
  const auto session = sessions_.open();
  EXPECT_EQ(session.expires, loop_.now() + std::chrono::hours(12));
  EXPECT_TRUE(sessions_.is_open(session.token));
  loop_.advance(std::chrono::hours(12));
  EXPECT_FALSE(sessions_.is_open(session.token));
}

TEST_F(ConsoleSessionsTest, ASessionSurvivesARestart) {
  const auto session = sessions_.open();
  EXPECT_TRUE(ConsoleSessions(loop_, rng_, "key").is_open(session.token));
  EXPECT_FALSE(ConsoleSessions(loop_, rng_, "other").is_open(session.token));
}

TEST_F(ConsoleSessionsTest, LoggingOutEndsThatSessionOnly) {
  const auto first = sessions_.open();
  const auto second = sessions_.open();
  sessions_.close(first.token);
  EXPECT_FALSE(sessions_.is_open(first.token));
  EXPECT_TRUE(sessions_.is_open(second.token));
}

TEST_F(ConsoleSessionsTest, ForgedTokensAreRefused) {
  const std::string token = sessions_.open().token;
  for (const std::string& forged : {std::string(), std::string("console."), std::string("console.id"), "x" + token,
                                    token + "x", token.substr(0, token.size() - 1)}) {
    EXPECT_FALSE(sessions_.is_open(forged)) << forged;
  }
}

}  // namespace
}  // namespace muster::web
