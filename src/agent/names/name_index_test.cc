#include "agent/names/name_index.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "agent/pod/recover.h"

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

TEST_F(NameIndex, FindsTheAttemptsOfTheLastOwner) {
  const auto remember_attempt = [this](const char* uid, const char* owner, const char* attempt) {
    const auto pod = json::parse(std::string(R"({"metadata":{"name":"p-0","namespace":"ml","uid":")") + uid +
                                 R"(","labels":{"muster.dev/attempt":")" + attempt +
                                 R"("},"ownerReferences":[{"uid":")" + owner + R"(","controller":true}]}})");
    ASSERT_TRUE(pod);
    ASSERT_TRUE(remember_name(paths_, *pod));
  };
  remember_attempt("old", "job1", "2");
  remember_attempt("a", "job2", "0");
  remember_attempt("b", "job2", "1");
  EXPECT_EQ(holder_of_attempt(paths_, "ml", "p-0", 0), "a");
  EXPECT_EQ(holder_of_attempt(paths_, "ml", "p-0", 1), "b");
  EXPECT_EQ(holder_of_attempt(paths_, "ml", "p-0", 2), std::nullopt) << "another job's";
  EXPECT_EQ(holder_of_attempt(paths_, "ml", "other", 0), std::nullopt);
}

TEST_F(NameIndex, ANamespaceThatWasMadeAgainStartsFromNothing) {
  Trash trash(paths_.trash());
  ASSERT_TRUE(trash.start());
  remember("a", "job1");  // before there was a marker
  ASSERT_TRUE(begin_namespace(paths_, trash, "ml", "n-1"));
  ASSERT_TRUE(begin_namespace(paths_, trash, "ml", "n-1"));  // after a restart
  EXPECT_EQ(previous_holder(paths_, "ml", "p-0", ""), "a");
  ASSERT_TRUE(begin_namespace(paths_, trash, "ml", "n-2"));  // nobody saw that the first one was deleted
  EXPECT_EQ(previous_holder(paths_, "ml", "p-0", ""), std::nullopt);
  EXPECT_EQ(holder_of_attempt(paths_, "ml", "p-0", 0), std::nullopt);
  remember("b", "job2");
  ASSERT_TRUE(end_namespace(paths_, trash, "ml"));
  ASSERT_TRUE(end_namespace(paths_, trash, "ml"));
  EXPECT_EQ(previous_holder(paths_, "ml", "p-0", ""), std::nullopt);
}

TEST_F(NameIndex, ForgetsPodsWhoseFoldersAreGone) {
  remember("a", "job1");
  remember("b", "job1");
  std::filesystem::create_directories(paths_.pod("b"));
  const std::string file = paths_.names("ml", "p-0");
  ASSERT_EQ(outdated_names(paths_, {}), std::vector<std::string>{file});
  ASSERT_TRUE(forget_gone_pods(paths_, file));
  EXPECT_EQ(previous_holder(paths_, "ml", "p-0", ""), "b");
  EXPECT_EQ(previous_holder(paths_, "ml", "p-0", "b"), std::nullopt);
  EXPECT_TRUE(outdated_names(paths_, {}).empty());
  EXPECT_EQ(outdated_names(paths_, {"b"}), std::vector<std::string>{file});
  std::filesystem::remove(paths_.pod("b"));
  ASSERT_TRUE(forget_gone_pods(paths_, file));
  EXPECT_FALSE(std::filesystem::exists(file));
}

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
