// Tests what golden histories cannot show, because they look after every change: several changes between two looks.
#include "control/job/decide.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "json/yaml.h"
#include "testing/job_world.h"

namespace muster::control {
namespace {

JobWorld make_world(int replicas) {
  const auto parsed = json::parse_yaml(fmt::format(
      "apiVersion: batch.tensorstack.dev/v1beta1\nkind: PyTorchTrainingJob\n"
      "metadata: {{name: mnist, namespace: default, uid: u-1, generation: 1}}\nspec:\n  replicaSpecs:\n"
      "  - {{type: worker, replicas: {}, template: {{spec: {{containers: [{{name: pytorch, image: torch}}]}}}}}}\n",
      replicas));
  CHECK(parsed.has_value());
  JobWorld world(parsed->front().value, Where::kEngine, *parse_rfc3339("2026-01-01T00:00:00Z"));
  world.graceful = true;
  return world;
}

class BetweenLooks : public ::testing::Test {
 protected:
  BetweenLooks() {
    look();
    for (const char* replica : {"worker-0", "worker-1"}) world_.happen(pod(replica), {.phase = "Running"});
    look();
  }

  std::string pod(const std::string& replica) const { return world_.job().pod_name_prefix + replica; }
  void pass(int count) { world_.now += std::chrono::seconds(count); }
  void look() { world_.apply(world_.look()); }

  JobWorld world_ = make_world(2);
};

TEST_F(BetweenLooks, AFailureCausedByDeletionIsNotCharged) {
  world_.happen(pod("worker-1"), {.deleting = true});
  pass(2);
  world_.happen(pod("worker-1"), {.phase = "Failed", .exit_code = 143});
  look();
  EXPECT_EQ(world_.status().restarts, 0);
  EXPECT_EQ(world_.status().attempts.at("worker-1"), 1);
}

TEST_F(BetweenLooks, AFailureBeforeTheDeletionIsCharged) {
  world_.happen(pod("worker-1"), {.phase = "Failed", .exit_code = 1});
  pass(2);
  world_.happen(pod("worker-1"), {.deleting = true});
  look();
  EXPECT_EQ(world_.status().restarts, 1);
}

TEST_F(BetweenLooks, ExitCodeZeroOnDeletionIsNoSuccess) {
  world_.happen(pod("worker-0"), {.deleting = true});
  pass(2);
  world_.happen(pod("worker-0"), {.phase = "Succeeded"});
  look();
  EXPECT_EQ(world_.status().phase, Phase::kRunning);
  EXPECT_EQ(world_.status().attempts.at("worker-0"), 1);
}

TEST_F(BetweenLooks, SuccessBeforeTheDeletionIsSuccess) {
  world_.happen(pod("worker-0"), {.phase = "Succeeded"});
  pass(2);
  world_.happen(pod("worker-0"), {.deleting = true});
  look();
  EXPECT_EQ(world_.status().phase, Phase::kSucceeded);
}

TEST_F(BetweenLooks, PausingAJobThatHasJustSucceededDoesNotUndoIt) {
  world_.happen(pod("worker-0"), {.phase = "Succeeded"});
  world_.object["spec"]["runMode"]["pause"]["enabled"] = true;
  look();
  EXPECT_EQ(world_.status().phase, Phase::kSucceeded);
}

TEST_F(BetweenLooks, APodThatWasNotSeenWhenItsGangEndedDoesNotMeetTheNextAttempt) {
  auto unseen = world_.pods.extract(pod("worker-1"));
  world_.object["spec"]["runMode"]["pause"]["enabled"] = true;
  look();
  world_.pods.insert(std::move(unseen));
  world_.object["spec"]["runMode"]["pause"]["enabled"] = false;
  look();
  EXPECT_TRUE(world_.pods.at(pod("worker-1")).metadata.deletion_timestamp.has_value());
}

TEST_F(BetweenLooks, AStoppedJobEndsForGoodUnlessItHasSucceeded) {
  world_.object["metadata"]["annotations"]["muster.dev/stop"] = "true";
  look();
  EXPECT_EQ(world_.status().phase, Phase::kFailed);
  EXPECT_EQ(world_.status().reason, "Stopped");
  EXPECT_EQ(world_.status().restarts, 0);
}

TEST_F(BetweenLooks, RemovingTheFailedPodDoesNotShortenTheDelay) {
  world_.happen(pod("worker-1"), {.phase = "Failed", .exit_code = 1});
  look();
  world_.happen(pod("worker-0"), {.gone = true});  // the survivor, which was stopped
  world_.happen(pod("worker-1"), {.gone = true});
  look();
  EXPECT_FALSE(world_.pods.contains(pod("worker-1")));
  pass(1);
  look();
  EXPECT_TRUE(world_.pods.contains(pod("worker-1")));
}

/// Returns how many looks it takes until there is nothing left to do. Each plan is bounded and requests the next.
int looks_until_quiet(JobWorld& world) {
  int looks = 0;
  for (JobPlan plan = world.look(); world.has_effect(plan); plan = world.look(), ++looks) {
    EXPECT_LE(plan.actions.size(), 252u);  // the slice, plus the events of the transition
    if (plan.actions.size() >= 250) {
      EXPECT_EQ(plan.recheck_after, Duration(0));
    }
    world.apply(plan);
  }
  return looks;
}

TEST(ManyReplicas, ComeAndGoInSlices) {
  JobWorld world = make_world(1100);
  EXPECT_EQ(looks_until_quiet(world), 6);  // five slices, plus the status that shows the last of them
  EXPECT_EQ(world.pods.size(), 1100u);
  world.graceful = false;
  world.object["spec"]["replicaSpecs"].as_array().front()["replicas"] = 1000;
  for (auto& [name, pod] : world.pods) pod.spec.node_name = "machine";
  looks_until_quiet(world);
  EXPECT_EQ(world.pods.size(), 1000u);
  world.object["spec"]["runMode"]["pause"]["enabled"] = true;
  EXPECT_GE(looks_until_quiet(world), 4);
  EXPECT_EQ(world.pods.size(), 0u);
}

TEST(ManyReplicas, AreAllStartedAgainAfterTheMachineWasLost) {
  JobWorld world = make_world(600);
  looks_until_quiet(world);
  for (const auto& [name, pod] : std::map(world.pods)) world.happen(name, {.phase = "Failed", .reason = "LostReboot"});
  looks_until_quiet(world);
  world.now += std::chrono::seconds(10);
  looks_until_quiet(world);
  EXPECT_EQ(world.pods.size(), 600u);
  EXPECT_EQ(world.status().attempts.size(), 600u);
  EXPECT_EQ(world.status().restarts, 0);
}

TEST(ManyReplicas, AreCountedInStatusAndTheFirstThousandListed) {
  JobWorld world = make_world(1300);
  looks_until_quiet(world);
  EXPECT_EQ(world.object.array_at("status", "tasks").front().array_at("replicas").size(), 1000u);
  EXPECT_EQ(world.object.int_at("status", "aggregate", "pending"), 1300);
}

}  // namespace
}  // namespace muster::control
