// Descriptors of batch.tensorstack.dev/v1beta1.
#include "api/tensorstack/tensorstack_v1beta1.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/limits.h"
#include "api/tensorstack/tensorstack_replicas.h"
#include "base/strings.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

namespace {

bool is_process_count(std::string_view text) {
  if (text == "gpu" || text == "cpu" || text == "auto") return true;
  return !text.empty() && text.front() != '0' && std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
}

constexpr const char* kProcessCountPattern = "^([1-9][0-9]*|gpu|cpu|auto)$";

/// A rule for elastic jobs only; check_elastic reports which numbers do not fit.
Rule elastic_rule(const std::string& cel, std::string message, std::string field,
                  Rule::Fault fault = Rule::Fault::kInvalid) {
  return {.cel = fmt::format("!{} || {}", cel_switched_on("self"), cel),
          .message = std::move(message),
          .field = std::move(field),
          .fault = fault};
}

std::vector<Rule> elastic_rules() {
  return {elastic_rule("has(self.minReplicas)", "the job is elastic", "minReplicas", Rule::Fault::kRequired),
          elastic_rule("has(self.maxReplicas)", "the job is elastic", "maxReplicas", Rule::Fault::kRequired),
          elastic_rule("!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas",
                       "must be at least minReplicas", "maxReplicas"),
          elastic_rule("!has(self.minReplicas) || !has(self.expectedReplicas) || "
                       "self.minReplicas <= self.expectedReplicas",
                       "must be at least minReplicas", "expectedReplicas"),
          elastic_rule("!has(self.maxReplicas) || !has(self.expectedReplicas) || "
                       "self.expectedReplicas <= self.maxReplicas",
                       "must be at most maxReplicas", "expectedReplicas")};
}

bool has_a_first_replica(const json::Document& self) {
  const json::Array& replicas = self.array_at("replicaSpecs");
  if (replicas.empty()) return true;
  return replicas.front().find("replicas") == nullptr || replicas.front().int_at("replicas") >= 1;
}

std::vector<Rule> pytorch_rules() {
  return {{.cel = fmt::format("!has(self.elastic) || !{} || (has(self.torchrunConfig) && {})",
                              cel_switched_on("self.elastic"), cel_switched_on("self.torchrunConfig")),
           .message = "needs torchrun; set spec.torchrunConfig.enabled to true",
           .field = "elastic.enabled"},
          {.cel = "size(self.replicaSpecs) == 0 || self.replicaSpecs[0].replicas >= 1",
           .message = "must have at least one replica of the first role, which decides how the job ends",
           .field = "replicaSpecs",
           .holds = &has_a_first_replica}};
}

}  // namespace

TypeDesc describe(Of<DebugReplicaSpec>) {
  return object<DebugReplicaSpec>(
      "DebugReplicaSpec", "How the pods of one role run in debug mode.",
      field<&DebugReplicaSpec::type>("type", "Role that this applies to; one of those in replicaSpecs.").required(),
      field<&DebugReplicaSpec::skip_init_container>("skipInitContainer", "Whether init containers are left out."),
      field<&DebugReplicaSpec::command>("command",
                                        "Command to run instead of the training program; sleeps by default."));
}

TypeDesc describe(Of<DebugMode>) {
  return object<DebugMode>(
      "DebugMode", "Debug mode: pods are created but wait for a user instead of training.",
      field<&DebugMode::enabled>("enabled", "Whether the job runs in debug mode.").also_known_as("enable"),
      field<&DebugMode::replica_specs>("replicaSpecs", "Settings per role; other roles use the defaults.")
          .list_map_key("type"));
}

TypeDesc describe(Of<ResumeSpec>) {
  return object<ResumeSpec>(
      "ResumeSpec", "How the pods of one role run after a paused job is resumed.",
      field<&ResumeSpec::type>("type", "Role that this applies to; one of those in replicaSpecs.").required(),
      field<&ResumeSpec::skip_init_container>("skipInitContainer", "Whether init containers are left out."),
      field<&ResumeSpec::command>("command", "Command to use instead of the template's."),
      field<&ResumeSpec::args>("args", "Arguments to use instead of the template's."));
}

TypeDesc describe(Of<PauseMode>) {
  return object<PauseMode>(
      "PauseMode", "Pause mode: the job exists but has no pods.",
      field<&PauseMode::enabled>("enabled", "Whether the job is paused; may be changed at any time.")
          .also_known_as("enable"),
      field<&PauseMode::resume_specs>("resumeSpecs",
                                      "How pods run after the job is resumed; by default as in the template.")
          .list_map_key("type")
          .immutable());
}

TypeDesc describe(Of<RunMode>) {
  return object<RunMode>("RunMode", "Whether a job trains, waits for a debugger, or is paused.",
                         field<&RunMode::debug>("debug", "Debug mode."),
                         field<&RunMode::pause>("pause", "Pause mode; wins over debug mode."));
}

TypeDesc describe(Of<TrainingRunPolicy>) {
  return object<TrainingRunPolicy>(
      "TrainingRunPolicy", "How long a job may run, how often it restarts and what remains of it.",
      field<&TrainingRunPolicy::active_deadline_seconds>("activeDeadlineSeconds",
                                                         "Seconds that the job may run before it is failed.")
          .min(1),
      field<&TrainingRunPolicy::backoff_limit>("backoffLimit", "Maximum number of restarts before the job fails.")
          .min(0)
          .default_value(3),
      field<&TrainingRunPolicy::clean_up_policy>("cleanUpPolicy", "Which pods are deleted when the job ends.")
          .one_of({"None", "Unfinished", "All"})
          .default_value("None"),
      field<&TrainingRunPolicy::ttl_seconds_after_finished>(
          "ttlSecondsAfterFinished", "Seconds to keep the job after it ends; kept until deleted if not set.")
          .min(0));
}

TypeDesc describe(Of<ElasticConfig>) {
  return object<ElasticConfig>(
             "ElasticConfig", "Lets the number of replicas change while the job runs; needs torchrun.",
             field<&ElasticConfig::enabled>("enabled", "Whether the job is elastic.").also_known_as("enable"),
             field<&ElasticConfig::min_replicas>("minReplicas", "Minimum number of replicas.")
                 .min(1)
                 .max(kMaxReplicas)
                 .immutable(),
             field<&ElasticConfig::max_replicas>("maxReplicas", "Maximum number of replicas.")
                 .min(1)
                 .max(kMaxReplicas)
                 .immutable(),
             field<&ElasticConfig::expected_replicas>(
                 "expectedReplicas", "Wanted number of replicas; may be changed, and is used instead of replicas.")
                 .min(1)
                 .max(kMaxReplicas))
      .rules(elastic_rules());
}

TypeDesc describe(Of<TorchrunConfig>) {
  return object<TorchrunConfig>(
      "TorchrunConfig", "Launches the program through torchrun.",
      field<&TorchrunConfig::enabled>("enabled", "Whether torchrun launches the program.").also_known_as("enable"),
      field<&TorchrunConfig::max_restarts>(
          "maxRestarts", "Restarts of the workers inside a pod, which do not count as restarts of the replica.")
          .min(0),
      field<&TorchrunConfig::proc_per_node>("procPerNode",
                                            "Processes per replica: a number, gpu for one per GPU, cpu, or auto.")
          .int_or_string()
          .min(1)
          .pattern(kProcessCountPattern, &is_process_count),
      field<&TorchrunConfig::rdzv_backend>("rdzvBackend", "How the replicas find each other.")
          .one_of({"c10d", "etcd", "etcd-v2"})
          .default_value("c10d"),
      field<&TorchrunConfig::extra_options>("extraOptions", "More options for torchrun."),
      field<&TorchrunConfig::min_nodes>("minNodes", "Minimum number of replicas; superseded by elastic.minReplicas.")
          .min(1)
          .deprecated("spec.elastic.minReplicas"));
}

TypeDesc describe(Of<TrainingReplicaSpec>) {
  return object<TrainingReplicaSpec>(
             "TrainingReplicaSpec", "One role of a job: how many replicas, and what they run.",
             field<&TrainingReplicaSpec::type>("type", "Name of the role, unique in the job.")
                 .required()
                 .pattern(kRolePattern, &is_dns_label),
             field<&TrainingReplicaSpec::replicas>("replicas", "How many replicas the role has.")
                 .min(0)
                 .max(kMaxReplicas)
                 .default_value(1),
             field<&TrainingReplicaSpec::scaling_weight>("scalingWeight",
                                                         "Share of the role when an elastic job grows.")
                 .min(0),
             field<&TrainingReplicaSpec::restart_policy>("restartPolicy", "When a replica that ended restarts.")
                 .one_of({"Never", "OnFailure", "Always", "ExitCode"})
                 .default_value("OnFailure"),
             field<&TrainingReplicaSpec::template_>("template", "Template of the role's pods.").required())
      .rules({has_container_rule()});
}

bool is_switched_on(const json::Document* part) {
  return part != nullptr && (part->bool_at("enabled") || part->bool_at("enable"));
}

std::string cel_switched_on(const std::string& part) {
  return fmt::format("((has({0}.enabled) && {0}.enabled) || (has({0}.enable) && {0}.enable))", part);
}

Rule has_container_rule() {
  return {.cel = "has(self.template) && has(self.template.spec)",
          .message = "at least one container",
          .field = "template.spec.containers",
          .fault = Rule::Fault::kRequired};
}

TypeDesc replica_of(std::string name, std::vector<std::string> roles) {
  TypeDesc desc = type_of<TrainingReplicaSpec>();
  desc.name = std::move(name);
  desc.remove_field("scalingWeight");
  FieldDesc& role = desc.field_to_change("type");
  role.one_of = std::move(roles);
  role.pattern.clear();
  role.matches = nullptr;
  return desc;
}

std::int64_t replicas_of(const json::Document& spec, std::string_view role) {
  for (const json::Document& one : spec.array_at("replicaSpecs")) {
    if (one.string_at("type") == role) return one.find("replicas") == nullptr ? 1 : one.int_at("replicas");
  }
  return 0;
}

TypeDesc describe(Of<PyTorchTrainingJobSpec>) {
  return object<PyTorchTrainingJobSpec>(
             "PyTorchTrainingJobSpec", "What a job runs, and how.",
             field<&PyTorchTrainingJobSpec::run_mode>("runMode", "Train, debug or pause; train if not set."),
             field<&PyTorchTrainingJobSpec::scheduler>("scheduler", "Scheduler of the pods."),
             field<&PyTorchTrainingJobSpec::run_policy>("runPolicy", "Deadline, retries and clean-up.")
                 .default_value(json::Object{}),
             field<&PyTorchTrainingJobSpec::elastic>("elastic", "Lets the number of replicas change."),
             field<&PyTorchTrainingJobSpec::torchrun_config>("torchrunConfig",
                                                             "Launches the program through torchrun."),
             field<&PyTorchTrainingJobSpec::replica_specs>(
                 "replicaSpecs", "Roles of the job. Their order is the order of ranks, and the first replica decides.")
                 .required()
                 .min_items(1)
                 .list_map_key("type"),
             field<&PyTorchTrainingJobSpec::tensorboard_spec>("tensorboardSpec",
                                                              "TensorBoard that shows the logs of the job."))
      .rules(pytorch_rules());
}

TypeDesc describe(Of<ReplicaContainerStatus>) {
  return object<ReplicaContainerStatus>(
      "ReplicaContainerStatus", "One container of a replica.",
      field<&ReplicaContainerStatus::name>("name", "Name of the container."),
      field<&ReplicaContainerStatus::state>("state", "Waiting, Running or Terminated."),
      field<&ReplicaContainerStatus::exit_code>("exitCode", "Exit code of a terminated container."));
}

TypeDesc describe(Of<TaskReplicaStatus>) {
  return object<TaskReplicaStatus>(
      "TaskReplicaStatus", "One replica of a role.", field<&TaskReplicaStatus::name>("name", "Name of its pod."),
      field<&TaskReplicaStatus::uid>("uid", "Unique id of its pod."),
      field<&TaskReplicaStatus::phase>("phase", "Phase of its pod, Creating before there is one, Deleted after."),
      field<&TaskReplicaStatus::containers>("containers", "Its containers."));
}

TypeDesc describe(Of<TaskStatus>) {
  return object<TaskStatus>(
      "TaskStatus", "The replicas of one role.", field<&TaskStatus::type>("type", "Name of the role.").required(),
      field<&TaskStatus::restart_count>("restartCount", "Number of restarts of the role's replicas.").always_written(),
      field<&TaskStatus::charged_count>("chargedCount", "Number of these that count against the role's own limit."),
      field<&TaskStatus::replicas>("replicas",
                                   "The replicas, by index; of a job with more than 1000 only the first 1000."));
}

TypeDesc describe(Of<AggregateStatus>) {
  return object<AggregateStatus>(
      "AggregateStatus", "How many replicas of the job are in which phase.",
      field<&AggregateStatus::creating>("creating", "Number of replicas whose pod is being created.").always_written(),
      field<&AggregateStatus::pending>("pending", "Number of waiting replicas.").always_written(),
      field<&AggregateStatus::running>("running", "Number of running replicas.").always_written(),
      field<&AggregateStatus::succeeded>("succeeded", "Number of succeeded replicas.").always_written(),
      field<&AggregateStatus::failed>("failed", "Number of failed replicas.").always_written(),
      field<&AggregateStatus::unknown>("unknown", "Number of replicas in an unknown state.").always_written(),
      field<&AggregateStatus::deleted>("deleted", "Number of replicas whose pod was deleted.").always_written());
}

TypeDesc describe(Of<JobTensorBoardStatus>) {
  return object<JobTensorBoardStatus>(
      "JobTensorBoardStatus", "State of the TensorBoard that a job requested.",
      field<&JobTensorBoardStatus::action>("action", "What the controller did last."),
      field<&JobTensorBoardStatus::dependent>("dependent", "The TensorBoard."),
      field<&JobTensorBoardStatus::note>("note", "A sentence for people."),
      field<&JobTensorBoardStatus::ready>("ready", "Whether it can be opened.").always_written(),
      field<&JobTensorBoardStatus::reason>("reason", "One word for why it is so, for programs."),
      field<&JobTensorBoardStatus::type>("type", "Normal or Warning."));
}

TypeDesc describe(Of<TrainingJobStatus>) {
  return object<TrainingJobStatus>(
      "TrainingJobStatus", "Status of a job.",
      field<&TrainingJobStatus::phase>("phase", "Phase of the job.")
          .one_of({"Pending", "Running", "Paused", "Resuming", "Succeeded", "Failed", "Unknown"}),
      field<&TrainingJobStatus::conditions>("conditions", "Conditions of the job.").list_map_key("type"),
      field<&TrainingJobStatus::tasks>("tasks", "The replicas of each role.").list_map_key("type"),
      field<&TrainingJobStatus::aggregate>("aggregate", "How many replicas are in which phase.").always_written(),
      field<&TrainingJobStatus::backoff_count>("backoffCount", "Restarts counted against runPolicy.backoffLimit.")
          .always_written(),
      field<&TrainingJobStatus::start_time>("startTime", "When the job first ran."),
      field<&TrainingJobStatus::completion_time>("completionTime", "When the job ended."),
      field<&TrainingJobStatus::attempts>("attempts",
                                          "Attempts that ended, by replica; a replica without an entry had none."),
      field<&TrainingJobStatus::incident_replicas>(
          "incidentReplicas", "Replicas that restarted one by one because of the current incident."),
      field<&TrainingJobStatus::succeeded_replicas>(
          "succeededReplicas", "Replicas that have succeeded while the job still runs; they do not run again alone."),
      field<&TrainingJobStatus::next_retry_time>("nextRetryTime", "When a replica that failed restarts."),
      field<&TrainingJobStatus::observed_generation>("observedGeneration",
                                                     "Generation of the job that this status is about."),
      field<&TrainingJobStatus::master_port>("masterPort", "Port of rank 0, chosen once per job."),
      field<&TrainingJobStatus::port_count>("portCount", "Ports of the job, from masterPort on; one if not set."),
      field<&TrainingJobStatus::tensorboard>("tensorboard", "State of the job's TensorBoard."));
}

TypeDesc describe(Of<PyTorchTrainingJob>) {
  return root<PyTorchTrainingJob>(
      "batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", "A distributed training job with PyTorch.",
      field<&PyTorchTrainingJob::metadata>("metadata", "Name, labels, owners and history."),
      field<&PyTorchTrainingJob::spec>("spec", "What the job runs, and how.").required(),
      field<&PyTorchTrainingJob::status>("status", "Status of the job; written by the controller."));
}

}  // namespace muster::reflect
