#include "control/job/waiting.h"

#include <gtest/gtest.h>

#include "json/yaml.h"
#include "reflect/reflect.h"

namespace muster::control {
namespace {

/// Returns the pending pod `p` of an image and a claim, with this status.
api::Pod pod_with(const std::string& status, const std::string& metadata = "") {
  const auto parsed =
      json::parse_yaml("apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: team" + metadata +
                       "}\nspec:\n  nodeName: node-1\n  containers: [{name: main, image: 'registry.example/torch:2'}]\n"
                       "  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\nstatus: " +
                       status + "\n");
  EXPECT_TRUE(parsed) << parsed.error().message;
  auto pod = reflect::decode<api::Pod>(parsed->front().value);
  EXPECT_TRUE(pod) << pod.error().message;
  return *pod;
}

std::string waiting_container(const std::string& reason, const std::string& message) {
  return "{phase: Pending, containerStatuses: [{name: main, image: i, imageID: '', ready: false, restartCount: 0, "
         "state: {waiting: {reason: " +
         reason + ", message: '" + message + "'}}}]}";
}

std::string unscheduled(const std::string& message) {
  return "{phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: '" +
         message + "'}]}";
}

Wait wait_with(const std::string& status) {
  return wait_of(pod_with(status));
}

TEST(Waiting, AnImageThatCannotBePulledSaysWhatTheRegistrySaid) {
  const Wait wait = wait_with(waiting_container(
      "ErrImagePull", "rpc error: code = NotFound desc = failed to pull and unpack image: not found"));
  EXPECT_EQ(wait.reason, "ImagePullFailed");
  EXPECT_EQ(wait.message,
            "image registry.example/torch:2 of container main cannot be pulled: failed to pull and unpack image: not "
            "found; correct its name, or name a secret for its registry in imagePullSecrets of the pod template");
  EXPECT_FALSE(wait.is_vague);
}

TEST(Waiting, BetweenTwoPullsTheMessageIsTheSame) {
  const Wait pull = wait_with(waiting_container("ErrImagePull", "rpc error: code = Unknown desc = unauthorized"));
  const Wait pause = wait_with(waiting_container(
      "ImagePullBackOff", "Back-off pulling image \"a\": ErrImagePull: rpc error: code = Unknown desc = unauthorized"));
  EXPECT_EQ(pause.message, pull.message);
  const Wait old_kubelet = wait_with(waiting_container("ImagePullBackOff", "Back-off pulling image \"a\""));
  EXPECT_EQ(old_kubelet.reason, pull.reason);
  EXPECT_TRUE(old_kubelet.is_vague) << "what was said before is better";
}

TEST(Waiting, AnImageNameThatIsNoneHasAReasonOfItsOwn) {
  const Wait wait = wait_with(waiting_container("InvalidImageName", "invalid reference format"));
  EXPECT_EQ(wait.reason, "InvalidImageName");
  EXPECT_EQ(
      wait.message,
      "image registry.example/torch:2 of container main is not a valid name: invalid reference format; correct it "
      "in the pod template");
}

TEST(Waiting, AContainerWithoutItsConfigurationSaysWhatToCreate) {
  const Wait wait = wait_with(waiting_container("CreateContainerConfigError", "secret \"token\" not found"));
  EXPECT_EQ(wait.reason, "CreateContainerConfigError");
  EXPECT_EQ(wait.message,
            "container main: secret \"token\" not found; create it in namespace team, or correct the pod template");
}

TEST(Waiting, TheSchedulerIsQuoted) {
  const Wait wait = wait_with(unscheduled("0/3 nodes are available: 3 Insufficient nvidia.com/gpu."));
  EXPECT_EQ(wait.reason, "Unschedulable");
  EXPECT_EQ(wait.message,
            "0/3 nodes are available: 3 Insufficient nvidia.com/gpu; wait for other pods to end, lower what the "
            "replicas request, or add nodes");
  EXPECT_EQ(wait_with(unscheduled("needs 2 nvidia.com/gpu, there is none")).message,
            "needs 2 nvidia.com/gpu, there is none");
}

TEST(Waiting, AVolumeThatIsNotBoundIsNamed) {
  const Wait missing = wait_with(unscheduled("0/1 nodes are available: persistentvolumeclaim \"data\" not found."));
  EXPECT_EQ(missing.reason, "VolumeNotBound");
  EXPECT_EQ(
      missing.message,
      "0/1 nodes are available: persistentvolumeclaim \"data\" not found; create the claim in namespace team, or "
      "correct claimName in the pod template");
  const Wait unbound =
      wait_with(unscheduled("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims."));
  EXPECT_EQ(unbound.reason, "VolumeNotBound");
  EXPECT_EQ(unbound.message,
            "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims; look at the claim and its "
            "storage class: kubectl describe pvc data -n team");
  const Wait on_engine = wait_with(waiting_container("ContainerCreating", "persistentvolumeclaim \"data\" not found"));
  EXPECT_EQ(on_engine.reason, "VolumeNotBound");
}

TEST(Waiting, APodOfALostNodeCannotBeReplaced) {
  const std::string leaving = ", deletionTimestamp: '2026-01-01T00:00:00Z'";
  const std::string evicted =
      "{phase: Running, conditions: [{type: DisruptionTarget, status: 'True', reason: DeletionByTaintManager}]}";
  const Wait wait = wait_of(pod_with(evicted, leaving));
  EXPECT_EQ(wait.reason, "NodeLost");
  EXPECT_EQ(wait.message,
            "node node-1 does not answer, so pod p cannot end and be replaced; start the node again, or if it is gone "
            "for good: kubectl delete node node-1");
  EXPECT_EQ(wait_of(pod_with("{phase: Running, reason: NodeLost}", leaving)).reason, "NodeLost");
  EXPECT_EQ(wait_with(evicted).reason, "") << "it is not to go";
}

TEST(Waiting, APodThatStartsWaitsForNothing) {
  EXPECT_EQ(wait_with("{phase: Pending}").reason, "");
  EXPECT_EQ(wait_with(waiting_container("ContainerCreating", "")).reason, "");
  EXPECT_EQ(wait_with("{phase: Running}").reason, "");
}

}  // namespace
}  // namespace muster::control
