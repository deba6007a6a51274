#include "agent/names/pod_records.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "agent/disk/trash.h"
#include "agent/names/name_index.h"

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

class PodRecords : public ::testing::Test {
 protected:
  PodRecords() {
    char name[] = "/tmp/muster-records-XXXXXX";
    paths_ = Paths(::mkdtemp(name));
  }
  ~PodRecords() override { fs::remove_all(paths_.root()); }

  static json::Document pod(const std::string& uid, const std::string& owner, const std::string& phase = "Pending") {
    return *json::parse(R"({"metadata":{"name":"mnist-0","namespace":"ml","uid":")" + uid +
                        R"(","labels":{"muster.dev/attempt":"1"},"managedFields":[{}],"ownerReferences":[{"uid":")" +
                        owner + R"(","apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","name":"mnist",)" +
                        R"("controller":true}]},"spec":{"nodeName":"here","containers":[{"name":"main","image":"i",)" +
                        R"("args":["--password=x"],"env":[{"name":"KEY","value":"secret"}]}]},"status":{"phase":")" +
                        phase + R"("}})");
  }
  void remember(const json::Document& of) const {
    ASSERT_TRUE(remember_name(paths_, of));
    ASSERT_TRUE(remember_pod(paths_, of));
  }
  void write_log(const std::string& uid) const {
    fs::create_directories(paths_.logs(uid) + "/main");
    std::ofstream(paths_.logs(uid) + "/main/0.0.log") << "hello\n";
  }

  Paths paths_{""};
  const node::OwnerName mnist_{"ml", "kubeflow.org", "PyTorchJob", "mnist"};
};

TEST_F(PodRecords, ShowAPodAsItWasLastAndNothingOfWhatItWasGiven) {
  remember(pod("a", "job1"));
  write_log("a");
  ASSERT_TRUE(update_record(paths_, pod("a", "job1", "Succeeded")));
  const node::PastPods found = remembered_pods(paths_, mnist_);
  ASSERT_EQ(found.pods.size(), 1U);
  const node::PastPod& past = found.pods[0];
  EXPECT_EQ(past.pod.string_at("status", "phase"), "Succeeded");
  EXPECT_EQ(past.pod.string_at("metadata", "labels", "muster.dev/attempt"), "1");
  EXPECT_EQ(past.pod.string_at("spec", "nodeName"), "here");
  EXPECT_EQ(json::serialize(past.pod).find("secret"), std::string::npos);
  EXPECT_EQ(json::serialize(past.pod).find("password"), std::string::npos);
  EXPECT_TRUE(past.has_log);
  EXPECT_FALSE(past.has_metrics);
}

TEST_F(PodRecords, AreOfOneKindNameAndNamespace) {
  remember(pod("a", "job1"));
  for (const node::OwnerName& other : {node::OwnerName{"ml", "kubeflow.org", "TFJob", "mnist"},
                                       node::OwnerName{"ml", "kubeflow.org", "PyTorchJob", "other"},
                                       node::OwnerName{"mine", "kubeflow.org", "PyTorchJob", "mnist"}}) {
    EXPECT_TRUE(remembered_pods(paths_, other).pods.empty()) << other.kind << other.name << other.ns;
  }
}

TEST_F(PodRecords, APodThatIsStartedAgainAfterARestartOfTheEngineIsThereOnce) {
  remember(pod("a", "job1"));
  remember(pod("a", "job1"));
  EXPECT_EQ(remembered_pods(paths_, mnist_).pods.size(), 1U);
}

TEST_F(PodRecords, APodThatNeverStartedHereIsNotStored) {
  ASSERT_TRUE(update_record(paths_, pod("a", "job1", "Failed")));
  EXPECT_FALSE(fs::exists(paths_.pod("a")));
}

TEST_F(PodRecords, PodsThatALimitRemovesAreCounted) {
  remember(pod("a", "job1"));
  remember(pod("b", "job1"));
  remember(pod("c", "job2"));
  EXPECT_TRUE(outdated_records(paths_, {}).empty());
  const std::vector<std::string> lists = outdated_records(paths_, {"a"});
  ASSERT_EQ(lists.size(), 1U);
  fs::remove_all(paths_.pod("a"));
  ASSERT_TRUE(forget_gone_records(paths_, lists[0]));
  node::PastPods left = remembered_pods(paths_, mnist_);
  EXPECT_EQ(left.pods.size(), 2U);
  EXPECT_EQ(left.removed, (std::map<std::string, std::int64_t>{{"job1", 1}}));
  EXPECT_TRUE(outdated_records(paths_, {}).empty()) << "what is counted is not looked for again";

  fs::remove_all(paths_.pod("b"));
  ASSERT_TRUE(forget_gone_records(paths_, lists[0]));
  left = remembered_pods(paths_, mnist_);
  EXPECT_EQ(left.removed, (std::map<std::string, std::int64_t>{{"job1", 2}}));
  fs::remove_all(paths_.pod("c"));
  ASSERT_TRUE(forget_gone_records(paths_, lists[0]));
  EXPECT_FALSE(fs::exists(lists[0]));
}

TEST_F(PodRecords, ANamespaceThatWasMadeAgainStartsFromNothing) {
  Trash trash(paths_.trash());
  ASSERT_TRUE(trash.start());
  ASSERT_TRUE(begin_namespace(paths_, trash, "ml", "n-1"));
  remember(pod("a", "job1"));
  EXPECT_TRUE(has_held(paths_, "ml", "mnist-0", "a"));
  EXPECT_FALSE(has_held(paths_, "mine", "mnist-0", "a"));
  ASSERT_TRUE(begin_namespace(paths_, trash, "ml", "n-2"));
  EXPECT_TRUE(remembered_pods(paths_, mnist_).pods.empty());
  EXPECT_FALSE(has_held(paths_, "ml", "mnist-0", "a"));
}

}  // namespace
}  // namespace muster::agent
