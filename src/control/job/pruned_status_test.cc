// A PyTorchJob in a cluster whose CRD is Kubeflow's, which prunes every status field of ours.
#include <gtest/gtest.h>

#include <algorithm>

#include "json/yaml.h"
#include "testing/job_world.h"
#include "testing/kubeflow_schema.h"

namespace muster::control {
namespace {

JobWorld make_pruned_world() {
  const auto parsed = json::parse_yaml(R"(
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: mnist, namespace: default, uid: u-1, generation: 1}
spec:
  runPolicy: {backoffLimit: 2}
  pytorchReplicaSpecs:
    Master: {restartPolicy: OnFailure, template: {spec: {containers: [{name: pytorch, image: torch}]}}}
    Worker: {restartPolicy: OnFailure, template: {spec: {containers: [{name: pytorch, image: torch}]}}}
)");
  CHECK(parsed.has_value());
  JobWorld world(parsed->front().value, Where::kCluster, *parse_rfc3339("2026-01-01T00:00:00Z"));
  world.prune = &testing::prune_as_kubeflow_does;
  return world;
}

/// Looks until nothing is left to do. Of each plan only `actions` are applied: the operator is killed after them.
void settle(JobWorld& world, std::size_t actions) {
  for (int round = 0; round < 20; ++round) {
    const JobPlan plan = world.look();
    if (!world.has_effect(plan)) return;
    world.apply(plan, round < 10 ? actions : SIZE_MAX);
  }
  FAIL() << "the plan has an effect forever";
}

/// Both replicas start, then the worker fails, again and again until the job has ended. Returns how often both started.
int fail_until_the_end(JobWorld& world, std::size_t actions) {
  int attempts = 0;
  for (int round = 0; round < 60 && !is_finished(world.status().phase); ++round) {
    settle(world, actions);
    world.now += std::chrono::seconds(30);
    settle(world, actions);
    const bool all_wait = world.pods.size() == 2 && std::ranges::all_of(world.pods, [](const auto& pod) {
                            return pod.second.status.phase == "Pending";
                          });
    if (!all_wait) continue;
    ++attempts;
    for (const char* name : {"mnist-master-0", "mnist-worker-0"}) world.happen(name, {.phase = "Running"});
    settle(world, actions);
    world.happen("mnist-worker-0", {.phase = "Failed", .exit_code = 1});
  }
  settle(world, actions);
  return attempts;
}

TEST(PrunedStatus, AJobRestartsAsOftenAsItsLimitAllows) {
  JobWorld world = make_pruned_world();
  EXPECT_EQ(fail_until_the_end(world, SIZE_MAX), 3);
  const JobStatus status = world.status();
  EXPECT_EQ(status.phase, Phase::kFailed);
  EXPECT_EQ(status.restarts, 2);
  EXPECT_NE(status.message.find("backoffLimit 2 is used up"), std::string::npos) << status.message;
  // Three attempts of accepted, running and failed, and two of which wait for their retry.
  EXPECT_LE(world.status_writes, 15);
  const int writes = world.status_writes;
  world.now += std::chrono::hours(1);
  settle(world, SIZE_MAX);
  EXPECT_EQ(world.status_writes, writes);
}

TEST(PrunedStatus, ACrashAfterAnyStepChargesNothingTwice) {
  for (std::size_t actions = 0; actions < 6; ++actions) {
    JobWorld world = make_pruned_world();
    EXPECT_EQ(fail_until_the_end(world, actions), 3) << "killed after " << actions << " actions";
    EXPECT_EQ(world.status().phase, Phase::kFailed);
    EXPECT_EQ(world.status().restarts, 2);
    EXPECT_LE(world.status_writes, 15);
  }
}

}  // namespace
}  // namespace muster::control
