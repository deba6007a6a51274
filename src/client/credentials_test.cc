#include "client/credentials.h"

#include <gtest/gtest.h>

#include "testing/sim_loop.h"

namespace muster::client {
namespace {

using std::chrono::seconds;

class TokenFileTest : public ::testing::Test {
 protected:
  std::string token() { return source_.get(clock_)->token; }
  bool renew(const std::string& refused) {
    return *source_.renew({.token = refused, .client_certificate_pem = "C", .client_key_pem = "K"}, clock_);
  }

  testing::SimLoop clock_;
  Result<std::string> content_ = std::string("one\n");
  int reads_ = 0;
  TokenFile source_{"/token",
                    {.token = "one", .client_certificate_pem = "C", .client_key_pem = "K"},
                    [this](const std::string&) {
                      ++reads_;
                      return content_;
                    },
                    clock_};
};

TEST_F(TokenFileTest, IsReadAgainEachMinute) {
  content_ = std::string("two\n");
  clock_.advance(seconds(59));
  EXPECT_EQ(token(), "one");
  EXPECT_EQ(reads_, 0);
  clock_.advance(seconds(1));
  EXPECT_EQ(token(), "two");
  EXPECT_EQ(token(), "two");
  EXPECT_EQ(reads_, 1);
  EXPECT_EQ(source_.get(clock_)->client_certificate_pem, "C");
}

TEST_F(TokenFileTest, IsReadAtOnceWhenTheServerRefusesTheToken) {
  EXPECT_FALSE(renew("one")) << "still the same";
  content_ = std::string("two");
  EXPECT_TRUE(renew("one"));
  EXPECT_EQ(token(), "two");
  EXPECT_EQ(reads_, 2);
  EXPECT_TRUE(renew("one")) << "asked for by a request that showed the old one";
  EXPECT_EQ(reads_, 2);
}

TEST_F(TokenFileTest, AFileThatCannotBeReadLeavesTheLastToken) {
  content_ = Error{.reason = Reason::kNotFound, .message = "no such file"};
  clock_.advance(seconds(60));
  EXPECT_EQ(token(), "one");
  EXPECT_FALSE(renew("one"));
  content_ = std::string(" \n");
  clock_.advance(seconds(60));
  EXPECT_EQ(token(), "one") << "it is being written just now";
  content_ = std::string("two");
  clock_.advance(seconds(60));
  EXPECT_EQ(token(), "two");
}

TEST(FixedCredential, HasNothingElse) {
  testing::SimLoop clock;
  FixedCredential source({.token = "t"});
  EXPECT_EQ(source.get(clock)->token, "t");
  EXPECT_FALSE(*source.renew({.token = "t"}, clock));
}

}  // namespace
}  // namespace muster::client
