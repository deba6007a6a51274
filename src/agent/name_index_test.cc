#include "agent/name_index.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "agent/log_files.h"

namespace muster::agent {
namespace {

class NameIndex : public ::testing::Test {
 protected:
  NameIndex() {
    char name[] = "/tmp/muster-names-XXXXXX";
    paths_ = Paths(::mkdtemp(name));
  }
  ~NameIndex() override { std::filesystem::remove_all(paths_.root()); }
  void remember(const std::string& uid, const std::string& owner) {
    auto pod = json::parse(R"({"metadata":{"name":"p-0","namespace":"ml","uid":")" + uid +
                           R"(","ownerReferences":[{"uid":")" + owner + R"(","controller":true}]}})");
    ASSERT_TRUE(pod);
    ASSERT_TRUE(remember_name(paths_, *pod));
  }
  Paths paths_{""};
};

TEST_F(NameIndex, FindsTheTryBeforeOfTheSameOwner) {
  remember("a", "job1");
  remember("b", "job1");
  remember("c", "job2");
  remember("d", "job1");
  EXPECT_EQ(previous_holder(paths_, "ml", "p-0", "d"), "b");
  EXPECT_EQ(previous_holder(paths_, "ml", "p-0", "b"), "a");
  EXPECT_EQ(previous_holder(paths_, "ml", "p-0", "a"), std::nullopt);
  EXPECT_EQ(previous_holder(paths_, "ml", "p-0", "c"), std::nullopt)
      << "another job's pod of the same name is not its past";
  EXPECT_EQ(previous_holder(paths_, "ml", "p-0", ""), "d");
  EXPECT_EQ(previous_holder(paths_, "ml", "other", "d"), std::nullopt);
}

TEST_F(NameIndex, ForgetsTheOldestOfVeryMany) {
  for (int i = 0; i < 150; ++i) remember(std::to_string(i), "job");
  EXPECT_EQ(previous_holder(paths_, "ml", "p-0", "149"), "148");
  EXPECT_EQ(previous_holder(paths_, "ml", "p-0", "148"), "147");
  EXPECT_EQ(previous_holder(paths_, "ml", "p-0", "10"), std::nullopt);
}

TEST_F(NameIndex, KnowsTheLastAttempt) {
  EXPECT_EQ(last_launch(paths_.pod("u")), std::nullopt);
  for (const char* name : {"0", "2", "10", "volumes"})
    std::filesystem::create_directories(paths_.pod("u") + "/" + name);
  EXPECT_EQ(last_launch(paths_.pod("u")), 10);
}

}  // namespace
}  // namespace muster::agent
