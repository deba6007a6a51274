#include <fmt/core.h>

#include "api/muster/names.h"
#include "fixture.h"

namespace muster::control {
namespace {

using ::testing::HasSubstr;

class SchedulerTest : public ControllersTest {
 protected:
  static std::string in_queue(const std::string& queue) {
    return "  scheduler: {t9kScheduler: {queue: " + queue + ", priority: 7}}\n";
  }
  void create_own_pod(const std::string& name, const std::string& group) {
    create(
        fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, labels: {{{}: {}}}}}, spec: {{containers: "
                    "[{{name: pytorch, image: python, command: [serve]}}]}}}}",
                    name, api::kGroupNameLabel, group));
  }
  /// Returns "STATUS: message" of the condition; "" when there is none.
  std::string condition(const std::string& resource, const std::string& name, const std::string& type) {
    const auto object = get(resource, name);
    if (!object) return "";
    for (const json::Document& condition : object->array_at("status", "conditions")) {
      if (condition.string_at("type") != type) continue;
      return condition.string_at("status") + ": " + condition.string_at("message");
    }
    return "";
  }
  void wait_for_condition(const std::string& resource, const std::string& name, const std::string& type,
                          const std::string& text) {
    wait_for(text, [&] { return condition(resource, name, type) == text; });
  }
};

TEST_F(SchedulerTest, AJobHasAPodGroupWithItsQueueAndState) {
  create(training_job("a", 2, in_queue("default")));
  wait_for_condition("podgroups", "a", "GroupScheduled", "True: all its pods are scheduled");
  wait_for("counts", [&] { return get("podgroups", "a")->int_at("status", "running") == 2; });
  const auto group = get("podgroups", "a");
  EXPECT_EQ(group->string_at("spec", "queue"), "default");
  EXPECT_EQ(group->int_at("spec", "priority"), 7);
  EXPECT_EQ(group->int_at("spec", "minMember"), 2);
  EXPECT_EQ(condition("podgroups", "a", "SufficientGroupMember"), "True: 2 of 2 pods exist");
  remove("pytorchtrainingjobs", "a");
  wait_for("the group to go", [&] { return !get("podgroups", "a"); });
}

TEST_F(SchedulerTest, AGroupFollowsTheSchedulingPolicyOfItsJob) {
  create(
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec:\n"
      "  runPolicy: {schedulingPolicy: {minAvailable: 3, queue: default}}\n  pytorchReplicaSpecs:\n"
      "    Worker: {replicas: 3, template: {spec: {containers: [{name: pytorch, image: torch}]}}}\n");
  wait_for("its group", [&] {
    const auto group = get("podgroups", "a");
    return group && group->int_at("spec", "minMember") == 3;
  });
  patch("pytorchjobs", "a", R"({"spec": {"runPolicy": {"schedulingPolicy": {"minAvailable": 2}}}})");
  wait_for("the group to follow", [&] { return get("podgroups", "a")->int_at("spec", "minMember") == 2; });
}

TEST_F(SchedulerTest, JobsOfDifferentKindsWithOneNameHaveGroupsOfTheirOwn) {
  create(training_job("a", 2));
  wait_for_condition("podgroups", "a", "GroupScheduled", "True: all its pods are scheduled");
  create(
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec:\n  pytorchReplicaSpecs:\n"
      "    Worker: {replicas: 3, template: {spec: {containers: [{name: pytorch, image: torch}]}}}\n");
  wait_for("its pods", [&] { return kubelet_->starts(ns_, "a-worker-2") == 1; });
  const std::string other = get("pods", "a-worker-0")->string_at("metadata", "labels", api::kGroupNameLabel);
  EXPECT_TRUE(other.starts_with("a-")) << other;
  wait_for("its group", [&] { return get("podgroups", other)->int_at("status", "running") == 3; });
  EXPECT_EQ(get("podgroups", "a")->int_at("status", "running"), 2);
}

TEST_F(SchedulerTest, AJobWaitsWhileItsQueueIsClosedOrItsQuotaUsedUp) {
  create("{apiVersion: scheduler.tensorstack.dev/v1beta1, kind: Queue, metadata: {name: night}, spec: {closed: true}}");
  create(training_job("a", 1, in_queue("night"), ", resources: {limits: {nvidia.com/gpu: 1}}"));
  wait_for_condition("pytorchtrainingjobs", "a", "Running", "False: queue night is closed; open it or use another one");
  wait_for_condition("podgroups", "a", "GroupScheduled", "False: queue night is closed; open it or use another one");
  wait_for("a count", [&] { return get("queues", "night")->int_at("status", "pending") == 1; });

  patch("queues", "night", R"({"spec": {"closed": false, "quota": {"requests": {"nvidia.com/gpu": "1"}}}})");
  wait_for("running", [&] { return job_phase("a") == "Running"; });
  create(training_job("b", 1, in_queue("night"), ", resources: {limits: {nvidia.com/gpu: 1}}"));
  wait_for_condition("pytorchtrainingjobs", "b", "Running",
                     fmt::format("False: needs 1 nvidia.com/gpu, queue night has 0 of 1 left, held by {}/a", ns_));
  wait_for("usage", [&] { return get("queues", "night")->string_at("status", "allocated", "nvidia.com/gpu") == "1"; });
  kubelet_->end(ns_, pod_of("a", "worker-0"), 0);
  wait_for("its turn", [&] { return job_phase("b") == "Running"; });
  remove("queues", "night");
}

TEST_F(SchedulerTest, AJobOfAQueueThatDoesNotExistRunsWithAWarning) {
  create(training_job("a", 1, in_queue("nihgt")));
  wait_for("running", [&] { return job_phase("a") == "Running"; });
  wait_for_event("a", "QueueNotFound x1");
}

TEST_F(SchedulerTest, PodsOfAUsersOwnGroupStartTogether) {
  create_own_pod("x", "g");
  wait_for("a reason",
           [&] { return condition("pods", "x", "PodScheduled").find("does not exist") != std::string::npos; });
  create("{apiVersion: scheduler.tensorstack.dev/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {minMember: 2}}");
  wait_for_condition("pods", "x", "PodScheduled", "False: 1 of 2 pods of the group exist");
  create_own_pod("y", "g");
  wait_for("both", [&] { return kubelet_->starts(ns_, "x") + kubelet_->starts(ns_, "y") == 2; });
  EXPECT_EQ(get("pods", "y")->string_at("metadata", "annotations", api::kGangSizeAnnotation), "2");
  remove("podgroups", "g");
  remove("pods", "x");
  remove("pods", "y");
}

TEST_F(SchedulerTest, AKubeflowJobFollowsItsSchedulingPolicyAndSaysWhyItWaits) {
  create("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}");
  create(
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec:\n"
      "  runPolicy: {schedulingPolicy: {queue: default, priorityClass: high, minAvailable: 1}}\n"
      "  pytorchReplicaSpecs:\n    Worker:\n      replicas: 3\n      template: {spec: {containers: [{name: pytorch, "
      "image: torch, command: [python], resources: {limits: {nvidia.com/gpu: 1}}}]}}\n");
  wait_for("two of three",
           [&] { return get("pytorchjobs", "a")->int_at("status", "replicaStatuses", "Worker", "active") == 2; });
  EXPECT_EQ(get("podgroups", "a")->int_at("spec", "minMember"), 1);
  EXPECT_EQ(get("pods", "a-worker-0")->string_at("spec", "priorityClassName"), "high");
  create(
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: b}\nspec:\n  pytorchReplicaSpecs:\n    Worker:\n"
      "      template: {spec: {containers: [{name: pytorch, image: torch, command: [python], resources: {limits: "
      "{nvidia.com/gpu: 2}}}]}}\n");
  wait_for("the reason", [&] { return !condition("pytorchjobs", "b", "Waiting").empty(); });
  EXPECT_THAT(condition("pytorchjobs", "b", "Waiting"), HasSubstr("needs 2 nvidia.com/gpu, 0 free, held by "));
}

}  // namespace
}  // namespace muster::control
