// Golden cases: testdata/CASE.in.yaml contains a deployment and the steps that happen to it, testdata/CASE.plan.yaml
// the plan at each step. Pods are identified by their index. MUSTER_UPDATE_GOLDEN=1 rewrites the plan; read the
// difference before committing it.
#include "control/deployment/deployment.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/kubernetes/core_v1.h"
#include "base/overloaded.h"
#include "json/patch.h"
#include "testing/golden_for_tests.h"

namespace muster::control {
namespace {

/// One deployment and its pods, kept as an API server and a kubelet would keep them.
class DeploymentWorld {
 public:
  explicit DeploymentWorld(json::Document deployment) : object(std::move(deployment)) {}

  Plan look() const {
    Snapshot seen{.primary = object, .children = {}, .now = now};
    std::vector<AnyObject> children;
    for (const auto& [name, pod] : pods) {
      auto shared = std::make_shared<const api::Pod>(pod);
      const api::ObjectMeta* metadata = &shared->metadata;
      children.push_back({.object = std::move(shared), .metadata = metadata});
    }
    seen.children.add(reflect::type_of<api::Pod>(), std::move(children));
    return plan_deployment(seen);
  }

  void apply(const Plan& plan) {
    if (plan.status) object["status"] = *plan.status;
    for (const Action& action : plan.actions) {
      std::visit(Overloaded{
                     [&](const Create& create) { add(*reflect::decode<api::Pod>(create.object)); },
                     [](const Update&) { FAIL() << "a deployment updates no pods"; },
                     [&](const Delete& gone) { remove(gone.child); },
                     [](const EmitEvent&) {},
                     [](const DeletePrimary&) { FAIL() << "a deployment does not end by itself"; },
                 },
                 action);
    }
  }

  void patch(const json::Document& change) {
    json::merge_patch(object, change);
    if (change.find("spec") != nullptr) object["metadata"]["generation"] = object.int_at("metadata", "generation") + 1;
  }

  /// Applies an event to the pod with the given index.
  void happen(const std::string& index, const json::Document& news) {
    const auto found = std::ranges::find_if(pods, [&](const auto& pod) { return pod.first.ends_with("-" + index); });
    ASSERT_NE(found, pods.end()) << "no pod " << index;
    if (news.bool_at("gone")) {
      pods.erase(found);
      return;
    }
    api::Pod& pod = found->second;
    if (!news.string_at("phase").empty()) pod.status.phase = news.string_at("phase");
    if (news.find("ready") == nullptr) return;
    pod.status.conditions = {{.type = "Ready",
                              .status = news.bool_at("ready") ? "True" : "False",
                              .reason = {},
                              .message = {},
                              .last_update_time = {},
                              .last_transition_time = now}};
  }

  json::Document object;
  Time now = *parse_rfc3339("2026-01-01T00:00:00Z");
  std::map<std::string, api::Pod> pods;

 private:
  void add(api::Pod pod) {
    ASSERT_FALSE(pods.contains(pod.metadata.name));
    pod.metadata.uid = fmt::format("pod-{}", ++last_uid_);
    pod.metadata.creation_timestamp = now;
    pod.status.phase = "Pending";
    pods[pod.metadata.name] = std::move(pod);
  }

  /// A running pod is only marked as deleted; it is removed when a step requests that.
  void remove(const ChildRef& child) {
    api::Pod& pod = pods.at(child.name);
    ASSERT_EQ(pod.metadata.uid, child.uid);
    if (pod.status.phase == "Running") {
      pod.metadata.deletion_timestamp = now + std::chrono::seconds(30);
    } else {
      pods.erase(child.name);
    }
  }

  int last_uid_ = 0;
};

json::Document shown_action(const Action& action, bool with_bodies) {
  return std::visit(Overloaded{
                        [&](const Create& create) -> json::Document {
                          const std::string line = "create " + create.object.string_at("metadata", "name");
                          if (!with_bodies) return line;
                          return json::Object{{line, create.object}};
                        },
                        [](const Update& update) -> json::Document { return "update " + update.child.name; },
                        [](const Delete& gone) -> json::Document { return "delete " + gone.child.name; },
                        [](const EmitEvent& event) -> json::Document {
                          return fmt::format("event {} {}: {}", event.type, event.reason, event.message);
                        },
                        [](const DeletePrimary&) -> json::Document { return "delete the deployment"; },
                    },
                    action);
}

/// Returns the status with one line per condition, unless the case prints whole bodies.
json::Document shown_status(json::Document status, bool with_bodies) {
  if (with_bodies || status.find("conditions") == nullptr) return status;
  for (json::Document& condition : status["conditions"].as_array()) {
    condition = fmt::format("{} {} {} since {}, updated {}", condition.string_at("type"), condition.string_at("status"),
                            condition.string_at("reason"), condition.string_at("lastTransitionTime"),
                            condition.string_at("lastUpdateTime"));
  }
  return status;
}

json::Document play_deployment(const json::Document& script) {
  DeploymentWorld world(*script.find("deployment"));
  const bool bodies = script.bool_at("bodies");
  json::Array steps;
  for (const json::Document& step : script.array_at("steps")) {
    if (const auto* after = step.find("after")) world.now += *parse_duration(after->as_string());
    if (const auto* patch = step.find("patch")) world.patch(*patch);
    if (const auto* happened = step.find("pods")) {
      for (const auto& [index, news] : happened->as_object()) world.happen(index, news);
    }
    const Plan plan = world.look();
    json::Document shown = json::Object{{"step", step.string_at("step")}};
    json::Array actions;
    for (const Action& action : plan.actions) actions.push_back(shown_action(action, bodies));
    shown["actions"] = std::move(actions);
    if (plan.recheck_after) {
      shown["recheckAfter"] =
          fmt::format("{}s", std::chrono::duration_cast<std::chrono::seconds>(*plan.recheck_after).count());
    }
    const json::Document* before = world.object.find("status");
    const bool same = plan.status && before != nullptr && *plan.status == *before;
    if (plan.status && !same) shown["status"] = shown_status(*plan.status, bodies);
    world.apply(plan);
    steps.push_back(std::move(shown));
  }
  return steps;
}

class DeploymentGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(DeploymentGolden, PlanIsAsWritten) {
  testing::expect_golden("src/control/deployment/testdata", GetParam(), play_deployment);
}

INSTANTIATE_TEST_SUITE_P(Cases, DeploymentGolden,
                         ::testing::Values("fresh", "scale-up", "scale-down", "template-changed", "paused",
                                           "pod-failed", "min-ready", "deadline", "deleted"),
                         [](const auto& golden) {
                           std::string name = golden.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

json::Document deployment_of(int replicas) {
  return json::Object{
      {"apiVersion", "apps/v1"},
      {"kind", "Deployment"},
      {"metadata", json::Object{{"name", "web"}, {"namespace", "default"}, {"uid", "u-1"}, {"generation", 1}}},
      {"spec", json::Object{{"replicas", replicas}}}};
}

TEST(Deployment, MakesPodsInSlicesHoweverManyAreWanted) {
  DeploymentWorld world(deployment_of(10'000));
  Plan plan = world.look();
  EXPECT_EQ(plan.actions.size(), 101u) << "100 pods and one event";
  world.apply(plan);
  EXPECT_TRUE(world.look().actions.empty()) << "none of them runs yet";
  for (int i = 0; i < 40; ++i) world.happen(std::to_string(i), json::Object{{"phase", "Running"}});
  EXPECT_EQ(world.look().actions.size(), 41u);
}

TEST(Deployment, MoreReplicasThanAdmissionAllowsAreLeftAlone) {
  DeploymentWorld world(deployment_of(INT32_MAX));
  const Plan plan = world.look();
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_FALSE(plan.status.has_value());
}

TEST(Deployment, HashDoesNotDependOnTheOrderOfMembers) {
  auto one = deployment_of(1);
  auto other = deployment_of(1);
  one["spec"]["template"] = json::Object{{"metadata", json::Object{{"labels", json::Object{{"a", "1"}, {"b", "2"}}}}},
                                         {"spec", json::Object{{"hostname", "x"}}}};
  other["spec"]["template"] =
      json::Object{{"spec", json::Object{{"hostname", "x"}}},
                   {"metadata", json::Object{{"labels", json::Object{{"b", "2"}, {"a", "1"}}}}}};
  DeploymentWorld first(one);
  DeploymentWorld second(other);
  first.apply(first.look());
  second.apply(second.look());
  EXPECT_EQ(first.pods.begin()->first, second.pods.begin()->first);
}

}  // namespace
}  // namespace muster::control
