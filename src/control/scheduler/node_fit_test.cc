#include "control/scheduler/node_fit.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace muster::control::scheduler_test {

namespace {

json::Document yaml_value(const char* yaml) {
  return json::parse_yaml(yaml)->front().value;
}

std::string mismatch(const char* pod_spec, const char* node_spec = "{}") {
  api::Pod pod;
  pod.spec.rest = yaml_value(pod_spec);
  api::Node node;
  node.metadata.name = "machine";
  node.metadata.labels = {{"kubernetes.io/arch", "amd64"}, {"cores", "8"}};
  node.spec.rest = yaml_value(node_spec);
  return node_mismatch(pod, node);
}

std::string affinity(const std::string& terms) {
  return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" + terms +
         "]}}}";
}

constexpr const char* kTainted = "taints: [{key: gpu, value: a100, effect: NoSchedule}]";

}  // namespace

TEST(NodeFit, FollowsTheNodeSelector) {
  EXPECT_EQ(mismatch("nodeSelector: {kubernetes.io/arch: amd64}"), "");
  EXPECT_EQ(mismatch("nodeSelector: {kubernetes.io/arch: arm64}"),
            "spec.nodeSelector: kubernetes.io/arch must be \"arm64\", node machine has \"amd64\"; remove it or run "
            "`kubectl label node machine kubernetes.io/arch=arm64`");
}

TEST(NodeFit, OneTermOfTheAffinityIsEnough) {
  const std::string arm = "{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [arm64]}]}";
  const std::string many = "{matchExpressions: [{key: cores, operator: Gt, values: ['4']}]}";
  EXPECT_EQ(mismatch(affinity(many).c_str()), "");
  EXPECT_EQ(mismatch(affinity(arm + "," + many).c_str()), "");
  EXPECT_EQ(
      mismatch(affinity(arm).c_str()),
      "spec.affinity.nodeAffinity: node machine does not match kubernetes.io/arch In (arm64); remove the affinity "
      "or label the node");
  EXPECT_EQ(mismatch(affinity("{matchFields: [{key: metadata.name, operator: In, values: [machine]}]}").c_str()), "");
  EXPECT_NE(mismatch(affinity("{matchFields: [{key: metadata.name, operator: NotIn, values: [machine]}]}").c_str()),
            "");
  EXPECT_NE(mismatch(affinity("{matchExpressions: [{key: cores, operator: DoesNotExist}]}").c_str()), "");
  EXPECT_NE(mismatch(affinity("{}").c_str()), "");
}

TEST(NodeFit, APreferenceNeverKeepsAPodWaiting) {
  EXPECT_EQ(
      mismatch("affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: "
               "{matchExpressions: [{key: zone, operator: Exists}]}}]}}"),
      "");
}

TEST(NodeFit, ATaintNeedsAToleration) {
  EXPECT_EQ(mismatch("{}", kTainted),
            "spec.tolerations: node machine has the taint gpu=a100:NoSchedule, which the pod does not tolerate; add a "
            "toleration or remove the taint");
  EXPECT_EQ(mismatch("tolerations: [{key: gpu, operator: Exists}]", kTainted), "");
  EXPECT_EQ(mismatch("tolerations: [{key: gpu, value: a100, effect: NoSchedule}]", kTainted), "");
  EXPECT_EQ(mismatch("tolerations: [{operator: Exists}]", kTainted), "");
  EXPECT_NE(mismatch("tolerations: [{key: gpu, value: h100}]", kTainted), "");
  EXPECT_NE(mismatch("tolerations: [{key: gpu, operator: Exists, effect: NoExecute}]", kTainted), "");
  EXPECT_EQ(mismatch("{}", "taints: [{key: gpu, effect: PreferNoSchedule}]"), "");
}

}  // namespace muster::control::scheduler_test
