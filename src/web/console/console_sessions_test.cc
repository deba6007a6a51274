#include "web/console/console_sessions.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/files.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::web {
namespace {

class ConsoleSessionsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(::mkdtemp(folder_), nullptr); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  char folder_[32] = "/tmp/console-sessions-XXXXXX";
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
  ASSERT_TRUE(sessions_.close(first.token));
  EXPECT_FALSE(sessions_.is_open(first.token));
  EXPECT_TRUE(sessions_.is_open(second.token));
}

TEST_F(ConsoleSessionsTest, LoggingOutEndsRenewedTokensOfTheSession) {
  const std::string first = sessions_.open().token;
  loop_.advance(std::chrono::hours(6));
  const std::string second = sessions_.renew(first)->token;
  loop_.advance(std::chrono::hours(5));
  const std::string third = sessions_.renew(second)->token;
  ASSERT_TRUE(sessions_.close(first));
  EXPECT_FALSE(sessions_.is_open(second));
  EXPECT_FALSE(sessions_.is_open(third));
  EXPECT_FALSE(sessions_.renew(third));
  loop_.advance(std::chrono::hours(11));
  ASSERT_TRUE(sessions_.close(sessions_.open().token));  // forgets what has expired
  EXPECT_FALSE(sessions_.is_open(third));
}

TEST_F(ConsoleSessionsTest, LoggingOutHoldsAfterARestart) {
  const std::string file = std::string(folder_) + "/console-logouts";
  ASSERT_TRUE(sessions_.keep_in(file));
  const std::string closed = sessions_.open().token;
  const std::string open = sessions_.open().token;
  ASSERT_TRUE(sessions_.close(closed));
  ConsoleSessions later(loop_, rng_, "key");
  ASSERT_TRUE(later.keep_in(file));
  EXPECT_FALSE(later.is_open(closed));
  EXPECT_TRUE(later.is_open(open));
}

TEST_F(ConsoleSessionsTest, ABrokenFileIsAnError) {
  const std::string file = std::string(folder_) + "/console-logouts";
  for (const char* text : {"", "{}", R"({"allUntil":"1970-01-01T00:00:00Z","sessions":[{"id":"a"}]})"}) {
    ASSERT_TRUE(write_file_atomically(file, text, 0600));
    EXPECT_FALSE(ConsoleSessions(loop_, rng_, "key").keep_in(file)) << text;
  }
}

TEST_F(ConsoleSessionsTest, TooManyLogoutsEndEverySession) {
  const std::string file = std::string(folder_) + "/console-logouts";
  const std::string other = sessions_.open().token;
  const std::string first = sessions_.open().token;
  ASSERT_TRUE(sessions_.close(first));
  for (int i = 0; i < 999; ++i) ASSERT_TRUE(sessions_.close(sessions_.open().token));
  EXPECT_TRUE(sessions_.is_open(other));
  ASSERT_TRUE(sessions_.keep_in(file));
  ASSERT_TRUE(sessions_.close(sessions_.open().token));
  EXPECT_FALSE(sessions_.is_open(other));
  EXPECT_FALSE(sessions_.is_open(first));
  loop_.advance(std::chrono::seconds(1));
  const std::string later = sessions_.open().token;
  ConsoleSessions restarted(loop_, rng_, "key");
  ASSERT_TRUE(restarted.keep_in(file));
  EXPECT_FALSE(restarted.is_open(other));
  EXPECT_TRUE(restarted.is_open(later));
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
