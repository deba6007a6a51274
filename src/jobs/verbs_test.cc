#include "jobs/verbs.h"

#include <gmock/gmock.h>

#include "jobs/summary.h"
#include "json/patch.h"
#include "json/yaml.h"

namespace muster::jobs {
namespace {

const std::string kVerbRole =
    "{type: worker, replicas: 1, template: {spec: {containers: [{name: pytorch, image: i}]}}}";

json::Document parsed_job(const std::string& text) {
  return json::parse_yaml(text)->front().value;
}

json::Document verb_job(const std::string& fields, const std::string& status = "{}") {
  return parsed_job(
      "{apiVersion: batch.tensorstack.dev/v1beta1, kind: PyTorchTrainingJob, metadata: {name: mnist, uid: u, "
      "annotations: {muster.dev/stop: 'true', notified.muster.dev/team: u success, note: kept}}, spec: {replicaSpecs: "
      "[" +
      kVerbRole + "], " + fields + "}, status: " + status + "}");
}

json::Document kubeflow_job(const std::string& fields) {
  return parsed_job(
      "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: mnist}, spec: {pytorchReplicaSpecs: "
      "{Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, image: i}]}}}}, " +
      fields + "}}");
}

/// Returns the job after the verb, whose patch must be one of the job itself.
json::Document after(Verb verb, const json::Document& object, std::int64_t replicas = 0) {
  const VerbResult result = plan_verb(verb, object, replicas);
  const auto& plan = std::get<VerbPlan>(result);
  EXPECT_TRUE(plan.patch) << plan.outcome;
  EXPECT_EQ(plan.patch->subresource, "");
  json::Document changed = object;
  json::merge_patch(changed, plan.patch->body);
  return changed;
}

TEST(Verbs, PauseAndResumeAJobInEitherSpelling) {
  for (const char* enabled : {"enabled", "enable"}) {
    const json::Document running = verb_job(std::string("runMode: {pause: {") + enabled + ": false}}");
    EXPECT_FALSE(summarise(running).paused) << enabled;
    const json::Document paused = after(Verb::kPause, running);
    EXPECT_TRUE(summarise(paused).paused) << enabled;
    EXPECT_FALSE(summarise(after(Verb::kResume, paused)).paused) << enabled;
  }
  EXPECT_TRUE(summarise(after(Verb::kPause, verb_job("runMode: {}"))).paused);
  EXPECT_TRUE(summarise(after(Verb::kPause, kubeflow_job("runPolicy: {}"))).paused);
}

TEST(Verbs, SayThatThereIsNothingToDo) {
  const auto paused = plan_verb(Verb::kPause, verb_job("runMode: {pause: {enable: true}}"));
  EXPECT_FALSE(std::get<VerbPlan>(paused).patch);
  EXPECT_EQ(std::get<VerbPlan>(paused).outcome, "is already paused");
  const auto stopped = plan_verb(Verb::kStop, verb_job("runMode: {}", "{phase: Succeeded}"));
  EXPECT_EQ(std::get<VerbPlan>(stopped).outcome, "has already ended (Succeeded)");
}

TEST(Verbs, ScaleAnElasticJobInEitherSpelling) {
  for (const char* enabled : {"enabled", "enable"}) {
    const json::Document elastic = verb_job(std::string("torchrunConfig: {enabled: true}, elastic: {") + enabled +
                                            ": true, minReplicas: 1, maxReplicas: 4}");
    EXPECT_EQ(summarise(after(Verb::kScale, elastic, 3)).wanted(), 3) << enabled;
  }
}

TEST(Verbs, ScaleKubeflowsJobsByTheirSubresource) {
  const auto result = plan_verb(Verb::kScale, kubeflow_job("elasticPolicy: {minReplicas: 1, maxReplicas: 4}"), 3);
  EXPECT_EQ(std::get<VerbPlan>(result).patch->subresource, "scale");
}

TEST(Verbs, ScaleKubeflowsJobsWithinTheirRange) {
  for (const std::int64_t replicas : {0, 9}) {
    const auto result =
        plan_verb(Verb::kScale, kubeflow_job("elasticPolicy: {minReplicas: 1, maxReplicas: 4}"), replicas);
    EXPECT_EQ(std::get<Refusal>(result).why, "spec.elasticPolicy allows 1 to 4") << replicas;
  }
}

TEST(Verbs, NameTheFieldThatMakesAJobElasticOnlyIfItsKindHasOne) {
  const auto fix_for = [](const json::Document& job) { return std::get<Refusal>(plan_verb(Verb::kScale, job, 3)).fix; };
  EXPECT_EQ(
      fix_for(kubeflow_job("runPolicy: {}")),
      "write spec.elasticPolicy in its manifest, or change the replicas in its manifest and create the job again");
  const json::Document generic = parsed_job(
      "{apiVersion: batch.tensorstack.dev/v1beta1, kind: GenericJob, metadata: {name: a}, spec: "
      "{replicaSpecs: [" +
      kVerbRole + "]}}");
  EXPECT_EQ(fix_for(generic), "change the replicas in its manifest and create the job again");
}

TEST(Verbs, RefuseWhatCannotBe) {
  const auto fixed = plan_verb(Verb::kScale, verb_job("runMode: {}"), 3);
  EXPECT_EQ(std::get<Refusal>(fixed).what, "cannot scale mnist: the job is not elastic");
  const auto ended = plan_verb(Verb::kPause, verb_job("runMode: {}", "{phase: Failed}"));
  EXPECT_EQ(std::get<Refusal>(ended).what, "cannot pause mnist: the job has ended (Failed)");
  EXPECT_EQ(std::get<Refusal>(ended).fix, "muster rerun mnist");
}

TEST(FreshCopy, HasWhatTheAuthorWrote) {
  EXPECT_EQ(
      fresh_copy(verb_job("runMode: {pause: {enable: true}}", "{phase: Failed}"), "mnist-2"),
      parsed_job("{apiVersion: batch.tensorstack.dev/v1beta1, kind: PyTorchTrainingJob, metadata: {name: mnist-2, "
                 "annotations: {note: kept}}, spec: {replicaSpecs: [" +
                 kVerbRole + "]}}"));
}

TEST(FreshCopy, IsNamedAfterTheJob) {
  EXPECT_EQ(next_name("mnist"), "mnist-2");
  EXPECT_EQ(next_name("mnist-2"), "mnist-3");
  EXPECT_EQ(next_name("run-2026"), "run-2027");
}

TEST(FreshCopy, HasNoLongerNameThanAJobWithALongOne) {
  const std::string name(54, 'a');
  EXPECT_EQ(next_name(name), std::string(52, 'a') + "-2");
  EXPECT_EQ(next_name(std::string(52, 'a') + "-9"), std::string(51, 'a') + "-10");
  EXPECT_EQ(next_name(std::string(50, 'a') + "-bc"), std::string(50, 'a') + "-2") << "no two dashes";
}

}  // namespace
}  // namespace muster::jobs
