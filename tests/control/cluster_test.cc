// The controllers as the operator of a cluster runs them, next to others: here the API server is ours, which has
// neither Leases nor another operator.
#include "api/muster/names.h"
#include "fixture.h"

namespace muster::control {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kRefusal = "the CRD prunes it";

class ClusterTest : public ControllersTest {
 protected:
  void SetUp() override {
    ControllersTest::SetUp();
    run_operator("");
  }

  void run_operator(const std::string& refusal) {
    controllers_.reset();
    KindChoices kinds;
    kinds.chosen = {
        {.resource = api::find_kind("kubeflow.org/v1", "PyTorchJob"), .wish = Wish::kAuto, .refusal = refusal},
        {.resource = api::find_kind("apps.kubedl.io/v1alpha1", "Cron")}};
    for (const ChosenKind& one : kinds.chosen) kinds.served.push_back(one.resource);
    controllers_ = std::make_unique<Controllers>(world_->loop(), rng_, *client_, kinds);
    controllers_->start();
  }

  void create_job(const std::string& name, const std::string& run_policy = "{}") {
    create("{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: " + name +
           "}, spec: {runPolicy: " + run_policy +
           ", pytorchReplicaSpecs: {Master: {template: {spec: {containers: [{name: pytorch, image: torch}]}}}}}}");
  }

  std::vector<std::string> condition_types(const std::string& name) {
    std::vector<std::string> types;
    const auto job = get("pytorchjobs", name);
    if (!job) return types;
    for (const json::Document& one : job->array_at("status", "conditions")) types.push_back(one.string_at("type"));
    return types;
  }
};

TEST_F(ClusterTest, RunsTheKindsThatAreChosen) {
  EXPECT_TRUE(controllers_->acts_on(*api::find_kind("kubeflow.org/v1", "PyTorchJob")));
  EXPECT_FALSE(controllers_->acts_on(*api::find_kind("kubeflow.org/v1", "TFJob")));
  create_job("a");
  wait_for("its pod", [&] { return get("pods", "a-master-0").has_value(); });
  EXPECT_THAT(condition_types("a"), ElementsAre("Created"));
  EXPECT_EQ(get("pytorchjobs", "a")->at("status", "restartCount"), nullptr);
}

TEST_F(ClusterTest, LeavesAloneAJobWhoseStatusAnotherControllerWrites) {
  create_job("a", "{suspend: true}");
  wait_for("the status", [&] { return condition_types("a").size() == 2; });
  client_->act_as("training-operator");
  patch("pytorchjobs", "a", R"({"status": {"replicaStatuses": {"Master": {"active": 1}}}})");
  client_->act_as(api::kFieldManager);
  patch("pytorchjobs", "a", R"({"spec": {"runPolicy": {"suspend": false}}})");
  wait_for_event("a", "ManagedElsewhere x1");
  run_operator("");
  create_job("b");
  wait_for("the pod of another job", [&] { return get("pods", "b-master-0").has_value(); });
  EXPECT_FALSE(get("pods", "a-master-0").has_value());
  EXPECT_THAT(condition_types("a"), ElementsAre("Created", "Suspended"));
}

TEST_F(ClusterTest, TellsARefusedJobOnceAndRunsItWhenTheCrdIsRight) {
  run_operator(kRefusal);
  create_job("a");
  wait_for_event("a", "FieldPruned x1");
  EXPECT_THAT(condition_types("a"), ElementsAre("MusterRefused"));
  run_operator(kRefusal);
  create_job("b");
  wait_for_event("b", "FieldPruned x1");
  EXPECT_THAT(events_about("a"), ElementsAre("FieldPruned x1"));
  EXPECT_THAT(pod_names(), IsEmpty());
  run_operator("");
  wait_for("its pod", [&] { return get("pods", "a-master-0").has_value(); });
  EXPECT_THAT(condition_types("a"), ElementsAre("Created"));
}

}  // namespace
}  // namespace muster::control
