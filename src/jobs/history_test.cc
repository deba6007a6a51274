#include "jobs/history.h"

#include <gtest/gtest.h>

namespace muster::jobs {
namespace {

JobPod pod_of(const std::string& name, int attempt, bool exists) {
  return {
      .pod = json::Object{{"metadata", json::Object{{"name", name}, {"uid", name + "/" + std::to_string(attempt)}}}},
      .attempt = attempt,
      .exists = exists,
      .has_log = true,
      .has_metrics = false};
}

std::string uids(const std::vector<JobPod>& pods) {
  std::string out;
  for (const JobPod& one : pods) out += one.pod.string_at("metadata", "uid") + " ";
  return out;
}

TEST(JobHistory, TheLastAttemptOfAReplicaIsThePodThatExists) {
  const std::vector<JobPod> pods{pod_of("w-0", 0, false), pod_of("w-0", 1, false), pod_of("w-1", 2, true),
                                 pod_of("w-1", 3, false)};
  EXPECT_EQ(uids(pods_of_attempt(pods)), "w-0/1 w-1/2 ");
  EXPECT_EQ(uids(pods_of_attempt(pods, 0)), "w-0/0 ");
  EXPECT_EQ(uids(pods_of_attempt(pods, 3)), "w-1/3 ");
  EXPECT_EQ(uids(pods_of_attempt(pods, 9)), "");
}

TEST(JobHistory, IsReadAsItWasSent) {
  const JobPods sent{.uid = "u", .exists = true, .pods = {pod_of("w-0", 4, false)}, .removed = 2, .others = {"old"}};
  const JobPods read = decode_job_pods(encode(sent, "ml", "mnist"));
  EXPECT_EQ(read.uid, "u");
  EXPECT_TRUE(read.exists);
  EXPECT_EQ(read.removed, 2);
  EXPECT_EQ(read.others, sent.others);
  ASSERT_EQ(read.pods.size(), 1U);
  EXPECT_EQ(read.pods[0].attempt, 4);
  EXPECT_FALSE(read.pods[0].exists);
  EXPECT_TRUE(read.pods[0].has_log);
  EXPECT_FALSE(read.pods[0].has_metrics);
  EXPECT_EQ(read.pods[0].pod.string_at("metadata", "name"), "w-0");
}

TEST(JobHistory, SaysWhatLimitsRemovedAndWhichJobItIs) {
  EXPECT_EQ(history_note({.uid = "u", .exists = true, .others = {"old"}}, "mnist"),
            "1 earlier job had the name mnist; for the last one: --earlier 1\n");
  EXPECT_EQ(history_note({.uid = "u", .exists = true}, "mnist"), "");
  EXPECT_EQ(history_note({.uid = "u", .exists = false, .removed = 1, .others = {"old"}}, "mnist"),
            "1 earlier pod of mnist: the limits of logs (logs.* in the configuration) removed what it left\n"
            "1 earlier job had the name mnist; for the last one: --earlier 1\n");
}

}  // namespace
}  // namespace muster::jobs
