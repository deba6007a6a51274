// What golden histories cannot say, because they look after every change: several things happening between two looks.
#include "control/job/decide.h"

#include <gtest/gtest.h>

#include "control/job/job_world.h"
#include "json/yaml.h"

namespace muster::control {
namespace {

class BetweenLooks : public ::testing::Test {
 protected:
  BetweenLooks() {
    look();
    for (const char* replica : {"worker-0", "worker-1"}) world_.happen(pod(replica), {.phase = "Running"});
    look();
  }

  static JobWorld make_world() {
    const auto parsed = json::parse_yaml(
        "apiVersion: batch.tensorstack.dev/v1beta1\nkind: PyTorchTrainingJob\n"
        "metadata: {name: mnist, namespace: default, uid: u-1, generation: 1}\nspec:\n  replicaSpecs:\n"
        "  - {type: worker, replicas: 2, template: {spec: {containers: [{name: pytorch, image: torch}]}}}\n");
    CHECK(parsed.has_value());
    JobWorld world(parsed->front().value, Where::kEngine, *parse_rfc3339("2026-01-01T00:00:00Z"));
    world.graceful = true;
    return world;
  }

  std::string pod(const std::string& replica) const { return world_.job().pod_name_prefix + replica; }
  void pass(int seconds) { world_.now += std::chrono::seconds(seconds); }
  void look() { world_.apply(world_.look()); }

  JobWorld world_ = make_world();
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

TEST_F(BetweenLooks, RemovingTheFailedPodDoesNotShortenTheDelay) {
  world_.happen(pod("worker-1"), {.phase = "Failed", .exit_code = 1});
  look();
  world_.happen(pod("worker-1"), {.gone = true});
  look();
  EXPECT_FALSE(world_.pods.contains(pod("worker-1")));
  pass(1);
  look();
  EXPECT_TRUE(world_.pods.contains(pod("worker-1")));
}

}  // namespace
}  // namespace muster::control
