#include <fmt/core.h>

#include <algorithm>

#include "api/owners.h"
#include "api/resource.h"
#include "control/runtime/executor.h"
#include "fixture.h"

namespace muster::control {
namespace {

using ::testing::ElementsAre;

TEST_F(ControllersTest, RunsATrainingJobToItsEnd) {
  create(training_job("a", 2));
  const std::string first = pod_of("a", "worker-0");
  const std::string second = pod_of("a", "worker-1");
  wait_for("running", [&] { return job_phase("a") == "Running"; });
  EXPECT_THAT(pod_names(), ElementsAre(first, second));
  EXPECT_EQ(get("pods", first)->string_at("spec", "nodeName"), "machine");

  kubelet_->end(ns_, first, 0);
  wait_for("the end", [&] { return job_phase("a") == "Succeeded"; });
  const auto job = get("pytorchtrainingjobs", "a");
  EXPECT_EQ(job->int_at("status", "backoffCount"), 0);
  EXPECT_NE(job->at("status", "completionTime"), nullptr);
  wait_for("its event", [&] { return events_about("a").size() == 3; });
  EXPECT_THAT(events_about("a"), ElementsAre("Created x1", "Start x1", "Succeeded x1"));
}

TEST_F(ControllersTest, ADeletedPodOfANodeThatDoesNotExistGoes) {
  create(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: nowhere, containers: [{name: main, image: "
      "python, command: [serve]}]}}");
  remove("pods", "p");
  wait_for("the pod to go", [&] { return !get("pods", "p"); });
}

TEST_F(ControllersTest, CountsAFailureOnceAlthoughItIsRestartedAllTheTime) {
  create(training_job("a", 2));
  const std::string first = pod_of("a", "worker-0");
  const std::string second = pod_of("a", "worker-1");
  wait_for("running", [&] { return job_phase("a") == "Running"; });
  kubelet_->end(ns_, second, 1);
  for (int i = 0; i < 40; ++i) {
    restart_controllers();
    int turns = 0;
    // The number of loop turns differs each time, so that the restarts fall between different steps.
    world_->wait([&] { return ++turns > i; }, std::chrono::milliseconds(50));
  }
  wait_for("second attempt", [&] { return kubelet_->starts(ns_, second) == 2; });
  wait_for("both", [&] { return get("pytorchtrainingjobs", "a")->int_at("status", "aggregate", "running") == 2; });
  const auto job = get("pytorchtrainingjobs", "a");
  EXPECT_EQ(job->int_at("status", "backoffCount"), 1);
  EXPECT_EQ(job->int_at("status", "attempts", "worker-1"), 1);
  EXPECT_EQ(get("pods", second)->string_at("metadata", "labels", "muster.dev/attempt"), "1");
  EXPECT_EQ(kubelet_->starts(ns_, first), 2) << "a process group goes back as a whole";
}

TEST_F(ControllersTest, EndsTheRanksOfAJobThatHasFailed) {
  create(training_job("a", 2, "  runPolicy: {backoffLimit: 0}\n"));
  const std::string first = pod_of("a", "worker-0");
  wait_for("running", [&] { return job_phase("a") == "Running"; });
  kubelet_->end(ns_, pod_of("a", "worker-1"), 1);
  wait_for("failure", [&] { return job_phase("a") == "Failed"; });
  wait_for("its deadline", [&] { return get("pods", first)->int_at("spec", "activeDeadlineSeconds") == 1; });
}

TEST_F(ControllersTest, FailsAJobWhoseBudgetIsUsedUp) {
  create(training_job("a", 1, "  runPolicy: {backoffLimit: 1}\n"));
  const std::string pod = pod_of("a", "worker-0");
  for (int attempt = 1; attempt <= 2; ++attempt) {
    wait_for("attempt", [&] {
      const auto* now = kubelet_->find(ns_, pod);
      return kubelet_->starts(ns_, pod) == attempt && now != nullptr && now->string_at("status", "phase") == "Running";
    });
    kubelet_->end(ns_, pod, 1);
  }
  wait_for("failure", [&] { return job_phase("a") == "Failed"; });
  EXPECT_EQ(get("pytorchtrainingjobs", "a")->int_at("status", "backoffCount"), 1);
  wait_for_event("a", "BackoffExhausted x1");
  EXPECT_EQ(kubelet_->starts(ns_, pod), 2);
}

TEST_F(ControllersTest, HoldsAGangUntilItsDevicesAreFree) {
  const std::string gpu = ", resources: {limits: {nvidia.com/gpu: 1}}";
  create(training_job("a", 2, "", gpu));
  wait_for("first job", [&] { return job_phase("a") == "Running"; });
  create(training_job("b", 2, "", gpu));
  const auto waits = [&] {
    const auto job = get("pytorchtrainingjobs", "b");
    for (const auto& condition :
         job->at("status", "conditions") ? job->at("status", "conditions")->as_array() : json::Array{}) {
      if (condition.string_at("reason") == "Unschedulable") return condition.string_at("message");
    }
    return std::string();
  };
  wait_for("reason to wait", [&] { return !waits().empty(); });
  EXPECT_EQ(waits(), fmt::format("needs 2 nvidia.com/gpu, 0 free, held by {}/a", ns_));
  wait_for_event("b", "Unschedulable x1");
  EXPECT_EQ(kubelet_->starts(ns_, pod_of("b", "worker-0")), 0);

  kubelet_->end(ns_, pod_of("a", "worker-1"), 0);
  kubelet_->end(ns_, pod_of("a", "worker-0"), 0);
  wait_for("second job", [&] { return job_phase("b") == "Running"; });
}

TEST_F(ControllersTest, AdmitsMoreCpuThanThereIsAndSaysSo) {
  create(training_job("a", 2, "", ", resources: {requests: {cpu: 16, memory: 8Gi}}"));
  wait_for("running", [&] { return job_phase("a") == "Running"; });
  wait_for_event("a", "Overcommitted x1");
}

TEST_F(ControllersTest, GivesEachLiveJobAPortOfItsOwn) {
  create(training_job("a", 1));
  create(training_job("b", 1));
  wait_for("both", [&] { return job_phase("a") == "Running" && job_phase("b") == "Running"; });
  const auto port = [&](const char* name) { return get("pytorchtrainingjobs", name)->int_at("status", "masterPort"); };
  EXPECT_GE(port("a"), 20000);
  EXPECT_GE(port("b"), 20000);
  EXPECT_NE(port("a"), port("b"));
}

TEST_F(ControllersTest, PausesAndResumesInEitherSpelling) {
  for (const std::string spelling : {"enabled", "enable"}) {
    const std::string name = "a-" + spelling;
    const auto pause = [&](const char* on) {
      patch("pytorchtrainingjobs", name,
            fmt::format(R"({{"spec": {{"runMode": {{"pause": {{"{}": {}}}}}}}}})", spelling, on));
    };
    create(training_job(name, 2));
    const std::string pod = pod_of(name, "worker-0");
    wait_for("running", [&] { return job_phase(name) == "Running"; });
    pause("true");
    wait_for("no pods", [&] { return pod_names().empty(); });
    EXPECT_EQ(job_phase(name), "Paused");
    pause("false");
    wait_for("running again", [&] { return job_phase(name) == "Running"; });
    EXPECT_EQ(kubelet_->starts(ns_, pod), 2);
    EXPECT_EQ(get("pytorchtrainingjobs", name)->int_at("status", "backoffCount"), 0);
    pause("true");
    wait_for("no pods", [&] { return pod_names().empty(); });
  }
}

TEST_F(ControllersTest, RunsAKubeflowJobWithItsServices) {
  create(
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec:\n  pytorchReplicaSpecs:\n"
      "    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: torch}]}}}\n"
      "    Worker: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: torch}]}}}\n");
  const auto last_condition = [&] {
    const auto job = get("pytorchjobs", "a");
    const auto* list = job->at("status", "conditions");
    return list == nullptr ? std::string() : list->as_array().back().string_at("type");
  };
  wait_for("running", [&] { return last_condition() == "Running"; });
  wait_for("both",
           [&] { return kubelet_->starts(ns_, "a-master-0") == 1 && kubelet_->starts(ns_, "a-worker-0") == 1; });
  EXPECT_TRUE(get("services", "a-master-0"));
  EXPECT_EQ(get("services", "a-worker-0")->string_at("spec", "clusterIP"), "None");
  kubelet_->end(ns_, "a-master-0", 0);
  wait_for("the end", [&] { return last_condition() == "Succeeded"; });
  wait_for("its event", [&] { return events_about("a").size() == 3; });
  EXPECT_THAT(events_about("a"), ElementsAre("PyTorchJobCreated x1", "PyTorchJobRunning x1", "PyTorchJobSucceeded x1"));
}

TEST_F(ControllersTest, DeletesAJobWhenItsTimeIsOver) {
  create(training_job("a", 1, "  runPolicy: {ttlSecondsAfterFinished: 1}\n"));
  const std::string pod = pod_of("a", "worker-0");
  wait_for("running", [&] { return job_phase("a") == "Running"; });
  kubelet_->end(ns_, pod, 0);
  wait_for("deletion", [&] { return job_phase("a") == "gone"; });
  wait_for("its pod to go too", [&] { return pod_names().empty(); });
}

TEST_F(ControllersTest, WaitsForANameThatSomebodyElseHas) {
  create("{apiVersion: v1, kind: Pod, metadata: {name: a-master-0}, spec: {containers: [{name: pytorch, image: x}]}}");
  create(
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec:\n  pytorchReplicaSpecs:\n"
      "    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: torch}]}}}\n");
  wait_for("complaint", [&] {
    for (const auto& event : events_about("a")) {
      if (event.starts_with("FailedCreate")) return true;
    }
    return false;
  });
  EXPECT_TRUE(get("pods", "a-master-0")->at("metadata", "ownerReferences") == nullptr);
  remove("pods", "a-master-0");
  wait_for("its own pod", [&] {
    const auto pod = get("pods", "a-master-0");
    return pod && pod->at("metadata", "ownerReferences") != nullptr;
  });
}

TEST_F(ControllersTest, EndsAJobAtItsDeadlineWithoutAnyOtherChange) {
  create(training_job("a", 1, "  runPolicy: {activeDeadlineSeconds: 1}\n"));
  wait_for("failure", [&] { return job_phase("a") == "Failed"; });
  wait_for("its pod to go", [&] { return pod_names().empty(); });
  wait_for_event("a", "DeadlineExceeded x1");
}

TEST_F(ControllersTest, ActsOnWhatIsRegistered) {
  const auto acts_on = [&](const char* api_version, const char* kind) {
    return controllers_->acts_on(*api::find_kind(api_version, kind));
  };
  EXPECT_TRUE(acts_on("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob"));
  EXPECT_TRUE(acts_on("kubeflow.org/v1", "PyTorchJob"));
  EXPECT_TRUE(acts_on("apps/v1", "Deployment"));
  EXPECT_TRUE(acts_on("v1", "ConfigMap"));
  EXPECT_TRUE(acts_on("batch.tensorstack.dev/v1beta1", "TensorFlowTrainingJob"));
  EXPECT_TRUE(acts_on("batch.tensorstack.dev/v1beta1", "XGBoostTrainingJob"));
  EXPECT_TRUE(acts_on("batch.tensorstack.dev/v1beta1", "GenericJob"));
  EXPECT_TRUE(acts_on("kubeflow.org/v1", "TFJob"));
  EXPECT_TRUE(acts_on("apps.kubedl.io/v1alpha1", "Cron"));
  EXPECT_TRUE(acts_on("tensorstack.dev/v1beta1", "Notebook"));
}

/// Returns the jobs that a Cron made, the oldest first.
std::vector<std::string> names_in_history(const json::Document& cron) {
  std::vector<std::string> names;
  for (const json::Document& job : cron.array_at("status", "history")) names.push_back(job.string_at("object", "name"));
  return names;
}

TEST_F(ControllersTest, MakesAJobOfACronAtItsTimeAlthoughItIsRestartedAllTheTime) {
  create(
      "apiVersion: apps.kubedl.io/v1alpha1\nkind: Cron\nmetadata: {name: a}\nspec:\n  schedule: '@every 1s'\n"
      "  concurrencyPolicy: Forbid\n  template:\n    apiVersion: batch.tensorstack.dev/v1beta1\n"
      "    kind: PyTorchTrainingJob\n    workload:\n      metadata: {labels: {team: vision}}\n      spec:\n"
      "        replicaSpecs: [{type: worker, template: {spec: {containers: [{name: pytorch, image: i}]}}}]\n");
  const auto jobs = [&] { return names_in_history(*get("crons", "a")); };
  for (int i = 0; i < 20; ++i) {
    restart_controllers();
    int turns = 0;
    // The number of loop turns differs each time, so that the restarts fall between different steps.
    world_->wait([&] { return ++turns > i; }, std::chrono::milliseconds(100));
  }
  wait_for("the first job", [&] { return !jobs().empty(); });
  const std::string first = jobs()[0];
  wait_for("it to run", [&] { return job_phase(first) == "Running"; });
  const auto job = get("pytorchtrainingjobs", first);
  EXPECT_TRUE(api::is_controlled_by(*job, get("crons", "a")->string_at("metadata", "uid")));
  EXPECT_EQ(job->string_at("metadata", "labels", "kubedl.io/cron-name"), "a");
  EXPECT_EQ(job->string_at("metadata", "labels", "team"), "vision");
  const auto is_reported = [&](std::string_view reason) {
    return std::ranges::any_of(events_about("a"), [&](const std::string& event) { return event.starts_with(reason); });
  };
  wait_for("a time to wait", [&] { return is_reported("JobAlreadyActive"); });
  EXPECT_EQ(jobs().size(), 1u);

  patch("crons", "a", R"({"spec": {"concurrencyPolicy": "Replace"}})");
  wait_for("the next job", [&] { return !jobs().empty() && jobs().back() != first; });
  wait_for("the first one to go", [&] { return get("pytorchtrainingjobs", first) == std::nullopt; });
  EXPECT_TRUE(is_reported("SuccessfulCreate"));
}

TEST_F(ControllersTest, RunsADeploymentThroughScaleAndRollout) {
  create(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas: 2\n"
      "  selector: {matchLabels: {app: a}}\n  template:\n    metadata: {labels: {app: a}}\n"
      "    spec: {containers: [{name: pytorch, image: python, command: [serve]}]}\n");
  const auto available = [&] { return get("deployments", "a")->int_at("status", "availableReplicas"); };
  wait_for("both pods", [&] { return available() == 2; });
  const auto first = pod_names();
  ASSERT_EQ(first.size(), 2u);
  const auto pod = get("pods", first.front());
  EXPECT_EQ(pod->string_at("spec", "restartPolicy"), "Always");
  EXPECT_EQ(api::controller_of(*pod)->string_at("kind"), "Deployment");

  patch("deployments", "a", R"({"spec": {"replicas": 1}})");
  wait_for("one pod", [&] { return available() == 1 && pod_names().size() == 1; });
  EXPECT_EQ(pod_names().front(), first.front());

  patch("deployments", "a", R"({"spec": {"template": {"metadata": {"annotations": {"restarted": "now"}}}}})");
  wait_for("its successor", [&] {
    const auto status = *get("deployments", "a");
    return status.int_at("status", "observedGeneration") == status.int_at("metadata", "generation") &&
           status.int_at("status", "updatedReplicas") == 1 && available() == 1;
  });
  ASSERT_EQ(pod_names().size(), 1u);
  EXPECT_NE(pod_names().front(), first.front());

  remove("deployments", "a");
  wait_for("no pods", [&] { return pod_names().empty(); });
}

TEST_F(ControllersTest, ANotebookThatEndsByItselfIsSuspendedUntilItIsResumed) {
  create(
      "apiVersion: tensorstack.dev/v1beta1\nkind: Notebook\nmetadata: {name: a}\nspec:\n"
      "  stopAfterIdleSeconds: 3600\n  template: {spec: {containers: [{name: pytorch, image: torch-notebook}]}}\n");
  const auto phase = [&] { return get("notebooks", "a")->string_at("status", "phase"); };
  wait_for("running", [&] { return phase() == "Running"; });
  const std::string token = get("secrets", "a-nb")->string_at("data", "token");
  EXPECT_FALSE(token.empty());

  kubelet_->end(ns_, pod_names().front(), 0);
  wait_for("suspension", [&] { return get("notebooks", "a")->bool_at("spec", "suspend"); });
  wait_for("no pods", [&] { return phase() == "Suspended" && pod_names().empty(); });
  EXPECT_EQ(get("deployments", "a-nb")->int_at("spec", "replicas"), 0);

  patch("notebooks", "a", R"({"spec": {"suspend": false}})");
  wait_for("running again", [&] { return phase() == "Running"; });
  EXPECT_FALSE(get("notebooks", "a")->bool_at("spec", "suspend"));
  EXPECT_EQ(get("secrets", "a-nb")->string_at("data", "token"), token);
  remove("notebooks", "a");
  wait_for("nothing", [&] { return pod_names().empty() && !get("secrets", "a-nb") && !get("deployments", "a-nb"); });
}

TEST_F(ControllersTest, AJobOfManyReplicasLetsOthersGoFirst) {
  create(training_job("a", 600));
  create(training_job("b", 1));
  wait_for("the small job", [&] { return job_phase("b") == "Running"; });
  EXPECT_LT(pod_names().size(), 550u) << "the small job had to wait until the large one had all its pods";
  const std::string last = pod_of("a", "worker-599");
  wait_for("a reason on the last pod", [&] {
    const auto* pod = kubelet_->find(ns_, last);
    return pod != nullptr && !pod->array_at("status", "conditions").empty();
  });
  ASSERT_FALSE(HasFailure());
  EXPECT_EQ(kubelet_->find(ns_, last)->array_at("status", "conditions").front().string_at("message"),
            "needs 600 pods, this machine has 300; use fewer replicas");
  EXPECT_EQ(kubelet_->starts(ns_, last), 0);
}

TEST_F(ControllersTest, AnUpdateChangesOnlyTheVersionThatWasSeen) {
  create("{apiVersion: v1, kind: ConfigMap, metadata: {name: hosts}, data: {list: old}}");
  const json::Document seen = *get("configmaps", "hosts");
  client::EventRecorder events(world_->loop(), *client_, {.component = "test", .host = ""});
  const auto update = [&] {
    const Update action{
        .child = {.api_version = "v1", .kind = "ConfigMap", .name = "hosts", .uid = seen.string_at("metadata", "uid")},
        .resource_version = seen.string_at("metadata", "resourceVersion"),
        .patch = json::Object{{"data", json::Object{{"list", "new"}}}}};
    const Lifetime lifetime;
    std::optional<Applied> applied;
    apply_plan(world_->loop(), *client_, events, lifetime.watch(),
               {.object = {.resource = *api::find_kind("v1", "ConfigMap"), .ns = ns_, .name = "primary"},
                .reference = {},
                .resource_version = "",
                .status = std::nullopt,
                .actions = {action}},
               [&](Applied how) { applied = std::move(how); });
    wait_for("the update", [&] { return applied.has_value(); });
    return applied->result;
  };
  EXPECT_TRUE(update());
  EXPECT_EQ(get("configmaps", "hosts")->string_at("data", "list"), "new");
  const Status stale = update();
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().reason, Reason::kConflict);
}

}  // namespace
}  // namespace muster::control
