#include "control/collector/collect.h"

#include <gmock/gmock.h>

namespace muster::control {
namespace {

using std::chrono::seconds;

const Time kNow = Time(seconds(1'700'000'000));

api::Pod pod_on(const std::string& node, const std::string& phase = "Pending") {
  api::Pod pod;
  pod.spec.node_name = node;
  pod.status.phase = phase;
  return pod;
}

api::Pod deleted(api::Pod pod, std::int64_t grace) {
  pod.metadata.deletion_timestamp = kNow;
  pod.metadata.deletion_grace_period_seconds = grace;
  return pod;
}

bool is_left_alone(const Collection& collection) {
  return !collection.status && !collection.remove && !collection.look_again;
}

TEST(Collect, APodOfAnExistingNodeIsItsAgents) {
  EXPECT_TRUE(is_left_alone(collect(pod_on("machine", "Running"), std::nullopt, kNow)));
  EXPECT_TRUE(is_left_alone(collect(deleted(pod_on("machine", "Running"), 30), std::nullopt, kNow)));
  EXPECT_TRUE(is_left_alone(collect(pod_on(""), std::nullopt, kNow)));
}

TEST(Collect, ADeletedPodOfAMissingNodeGoesAtOnce) {
  const Collection collection = collect(deleted(pod_on("nowhere"), 30), Duration(0), kNow);
  EXPECT_TRUE(collection.remove);
  EXPECT_FALSE(collection.status);
}

TEST(Collect, ADeletedPodThatWasNeverBoundGoesAtOnce) {
  EXPECT_TRUE(collect(deleted(pod_on(""), 30), std::nullopt, kNow).remove);
}

TEST(Collect, APodThatOnlyFinalizersHoldIsNotRemovedAgain) {
  EXPECT_TRUE(is_left_alone(collect(deleted(pod_on("nowhere"), 0), seconds(60), kNow)));
  EXPECT_TRUE(is_left_alone(collect(deleted(pod_on(""), 0), std::nullopt, kNow)));
}

TEST(Collect, ANodeHasTimeToRegisterItself) {
  const Collection collection = collect(pod_on("nowhere"), seconds(15), kNow);
  EXPECT_FALSE(collection.remove);
  EXPECT_EQ(collection.look_again, Duration(seconds(25)));
}

TEST(Collect, APodWhoseNodeStaysMissingFailsAndGoes) {
  api::Pod pod = pod_on("nowhere");
  pod.status.conditions.push_back({.type = "PodScheduled", .status = "False"});
  const Collection collection = collect(pod, kNodeQuarantine, kNow);
  EXPECT_TRUE(collection.remove);
  ASSERT_TRUE(collection.status);
  EXPECT_EQ(collection.status->string_at("phase"), "Failed");
  EXPECT_EQ(collection.status->string_at("reason"), "NodeLost");
  EXPECT_EQ(collection.status->string_at("message"), "node \"nowhere\" does not exist");
  const auto& conditions = collection.status->array_at("conditions");
  ASSERT_EQ(conditions.size(), 2U);
  EXPECT_EQ(conditions[0].string_at("type"), "PodScheduled");
  EXPECT_EQ(json::serialize(conditions[1]),
            R"({"type":"DisruptionTarget","status":"True","reason":"DeletionByPodGC",)"
            R"("message":"node \"nowhere\" does not exist","lastTransitionTime":"2023-11-14T22:13:20Z"})");
}

TEST(Collect, APodThatEndedBeforeItsNodeWentKeepsItsPhase) {
  const Collection collection = collect(pod_on("nowhere", "Succeeded"), kNodeQuarantine, kNow);
  EXPECT_TRUE(collection.remove);
  EXPECT_EQ(collection.status->find("phase"), nullptr);
}

TEST(Collect, AStatusThatSaysAllIsNotWrittenAgain) {
  api::Pod pod = pod_on("nowhere", "Failed");
  pod.status.conditions.push_back({.type = "DisruptionTarget", .status = "True"});
  const Collection collection = collect(pod, seconds(90), kNow);
  EXPECT_TRUE(collection.remove);
  EXPECT_FALSE(collection.status);
}

}  // namespace
}  // namespace muster::control
