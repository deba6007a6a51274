// Descriptors of TensorFlowTrainingJob, XGBoostTrainingJob and GenericJob.
#include "api/tensorstack/tensorstack_jobs_v1beta1.h"

#include <algorithm>

#include "api/limits.h"
#include "api/tensorstack/tensorstack_replicas.h"
#include "base/strings.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

namespace {

const TypeDesc& tensorflow_replica() {
  static const TypeDesc desc = replica_of("TensorFlowReplicaSpec", {"chief", "worker", "ps", "evaluator"});
  return desc;
}

const TypeDesc& xgboost_replica() {
  static const TypeDesc desc = replica_of("XGBoostReplicaSpec", {"master", "worker"});
  return desc;
}

bool has_at_most_one_chief(const json::Document& self) {
  return replicas_of(self, "chief") <= 1;
}
bool has_chief_or_worker(const json::Document& self) {
  return replicas_of(self, "chief") + replicas_of(self, "worker") >= 1;
}
/// For a GenericJob, whose roles have no predefined meaning.
bool has_a_generic_replica(const json::Document& self) {
  const json::Document* replicas = self.find("replicaSpecs");
  if (replicas == nullptr || !replicas->is_array()) return true;
  return replicas->as_array().empty() || std::ranges::any_of(replicas->as_array(), [](const json::Document& one) {
           return one.find("replicas") == nullptr || one.int_at("replicas") >= 1;
         });
}
bool has_one_master(const json::Document& self) {
  return replicas_of(self, "master") == 1;
}

}  // namespace

template <>
const TypeDesc& type_of<TensorFlowTrainingJobSpec>() {
  static const TypeDesc desc =
      object<TensorFlowTrainingJobSpec>(
          "TensorFlowTrainingJobSpec", "What a job runs, and how.",
          field<&TensorFlowTrainingJobSpec::run_mode>("runMode", "Train, debug or pause; train when not set."),
          field<&TensorFlowTrainingJobSpec::scheduler>("scheduler", "Which scheduler places the pods."),
          field<&TensorFlowTrainingJobSpec::run_policy>("runPolicy", "Deadline, retries and clean-up.")
              .default_value(json::Object{}),
          field<&TensorFlowTrainingJobSpec::replica_specs>("replicaSpecs",
                                                           "Roles of the job: chief, worker, ps and evaluator.")
              .described_as(&detail::vector_of<TrainingReplicaSpec, &tensorflow_replica>)
              .required()
              .min_items(1)
              .list_map_key("type"),
          field<&TensorFlowTrainingJobSpec::tensorboard_spec>("tensorboardSpec",
                                                              "TensorBoard that shows the logs of the job."))
          .rules({{.cel = "self.replicaSpecs.all(r, r.type != 'chief' || r.replicas <= 1)",
                   .message = "must have at most one chief",
                   .field = "replicaSpecs",
                   .holds = &has_at_most_one_chief},
                  {.cel = "self.replicaSpecs.exists(r, (r.type == 'chief' || r.type == 'worker') && r.replicas >= 1)",
                   .message = "must have a chief or a worker",
                   .field = "replicaSpecs",
                   .fault = Rule::Fault::kRequired,
                   .holds = &has_chief_or_worker}});
  return desc;
}

template <>
const TypeDesc& type_of<TensorFlowTrainingJob>() {
  static const TypeDesc desc = root<TensorFlowTrainingJob>(
      "batch.tensorstack.dev/v1beta1", "TensorFlowTrainingJob", "A distributed training with TensorFlow.",
      field<&TensorFlowTrainingJob::metadata>("metadata", "Name, labels, owners and history."),
      field<&TensorFlowTrainingJob::spec>("spec", "What the job runs, and how.").required(),
      field<&TensorFlowTrainingJob::status>("status", "What is known about the job; written by the controller."));
  return desc;
}

template <>
const TypeDesc& type_of<XGBoostTrainingJobSpec>() {
  static const TypeDesc desc =
      object<XGBoostTrainingJobSpec>(
          "XGBoostTrainingJobSpec", "What a job runs, and how.",
          field<&XGBoostTrainingJobSpec::run_mode>("runMode", "Train, debug or pause; train when not set."),
          field<&XGBoostTrainingJobSpec::scheduler>("scheduler", "Which scheduler places the pods."),
          field<&XGBoostTrainingJobSpec::run_policy>("runPolicy", "Deadline, retries and clean-up.")
              .default_value(json::Object{}),
          field<&XGBoostTrainingJobSpec::replica_specs>("replicaSpecs", "Roles of the job: one master, and workers.")
              .described_as(&detail::vector_of<TrainingReplicaSpec, &xgboost_replica>)
              .required()
              .min_items(1)
              .list_map_key("type"))
          .rules({{.cel = "self.replicaSpecs.exists(r, r.type == 'master' && r.replicas == 1)",
                   .message = "must have a master with one replica",
                   .field = "replicaSpecs",
                   .fault = Rule::Fault::kRequired,
                   .holds = &has_one_master}});
  return desc;
}

template <>
const TypeDesc& type_of<XGBoostTrainingJob>() {
  static const TypeDesc desc = root<XGBoostTrainingJob>(
      "batch.tensorstack.dev/v1beta1", "XGBoostTrainingJob", "A distributed training with XGBoost.",
      field<&XGBoostTrainingJob::metadata>("metadata", "Name, labels, owners and history."),
      field<&XGBoostTrainingJob::spec>("spec", "What the job runs, and how.").required(),
      field<&XGBoostTrainingJob::status>("status", "What is known about the job; written by the controller."));
  return desc;
}

// ---- GenericJob ----

template <>
const TypeDesc& type_of<GenericRestartPolicy>() {
  static const TypeDesc desc = object<GenericRestartPolicy>(
      "GenericRestartPolicy", "When and how often a replica is started again.",
      field<&GenericRestartPolicy::policy>("policy", "When a replica that ended is started again.")
          .one_of({"Never", "OnFailure", "Always"})
          .default_value("OnFailure"),
      field<&GenericRestartPolicy::limit>("limit", "How many restarts the replicas of the role have together.")
          .min(0)
          .default_value(0));
  return desc;
}

template <>
const TypeDesc& type_of<GenericReplicaSpec>() {
  static const TypeDesc desc =
      object<GenericReplicaSpec>(
          "GenericReplicaSpec", "One role of a job: how many replicas, and what they run.",
          field<&GenericReplicaSpec::type>("type", "Name of the role, unique in the job.")
              .required()
              .pattern(kRolePattern, &is_dns_label),
          field<&GenericReplicaSpec::replicas>("replicas", "How many replicas the role has.")
              .min(0)
              .max(kMaxReplicas)
              .default_value(1),
          field<&GenericReplicaSpec::restart_policy>("restartPolicy", "When and how often replicas are started again.")
              .default_value(json::Object{}),
          field<&GenericReplicaSpec::template_>("template", "From which the pods of the role are made.").required())
          .rules({has_container_rule()});
  return desc;
}

template <>
const TypeDesc& type_of<GenericService>() {
  static const TypeDesc desc = object<GenericService>(
      "GenericService", "Gives every replica a name that the others can resolve.",
      field<&GenericService::ports>("ports", "Ports that every replica offers.").required().min_items(1));
  return desc;
}

template <>
const TypeDesc& type_of<GenericJobSpec>() {
  static const TypeDesc desc =
      object<GenericJobSpec>(
          "GenericJobSpec", "What a job runs, and when it has succeeded or failed.",
          field<&GenericJobSpec::run_mode>("runMode", "Run, debug or pause; run when not set."),
          field<&GenericJobSpec::scheduler>("scheduler", "Which scheduler places the pods."),
          field<&GenericJobSpec::success_rules>(
              "successRules", "The job has succeeded when all replicas that one rule names have succeeded."),
          field<&GenericJobSpec::failure_rules>(
              "failureRules", "The job has failed when all replicas that one rule names have failed for good."),
          field<&GenericJobSpec::service>("service", "Gives every replica a name; none have one when not set."),
          field<&GenericJobSpec::clean_up_policy>("cleanUpPolicy", "Which pods are deleted when the job ends.")
              .one_of({"None", "Unfinished", "All"})
              .default_value("None"),
          field<&GenericJobSpec::ttl_seconds_after_finished>(
              "ttlSecondsAfterFinished", "Seconds after its end when the job itself is deleted; never when not set.")
              .min(0),
          field<&GenericJobSpec::replica_specs>("replicaSpecs", "Roles of the job.")
              .required()
              .min_items(1)
              .list_map_key("type"))
          .rules({{.cel = "size(self.replicaSpecs) == 0 || self.replicaSpecs.exists(r, r.replicas >= 1)",
                   .message = "must have at least one replica",
                   .field = "replicaSpecs",
                   .holds = &has_a_generic_replica}});
  return desc;
}

template <>
const TypeDesc& type_of<GenericJob>() {
  static const TypeDesc desc = root<GenericJob>(
      "batch.tensorstack.dev/v1beta1", "GenericJob", "Programs in several roles, whatever they are.",
      field<&GenericJob::metadata>("metadata", "Name, labels, owners and history."),
      field<&GenericJob::spec>("spec", "What the job runs, and when it has succeeded or failed.").required(),
      field<&GenericJob::status>("status", "What is known about the job; written by the controller."));
  return desc;
}

}  // namespace muster::reflect
