#include "api/kubeflow/kubeflow_v1.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/kubeflow/kubeflow_roles.h"
#include "api/muster/limits.h"
#include "api/muster/names.h"
#include "api/tensorstack/tensorstack_replicas.h"
#include "base/strings.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

namespace {

/// A DNS-1035 label.
constexpr const char* kJobNamePattern = "^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$";

// check_kubeflow_jobs.cc checks the same and reports the wrong values.

/// Whether the map of replicas by role has this role.
std::string cel_has_role(const std::string& list, const std::string& role) {
  return fmt::format("{}.exists(key, key in self.{})", cel_spellings(role), list);
}

/// Whether the condition holds for the role, as self.LIST[key], if the map has it.
std::string cel_if_role(const std::string& list, const std::string& role, const std::string& condition) {
  return fmt::format("{}.all(key, !(key in self.{}) || {})", cel_spellings(role), list, condition);
}

/// How often the map of replicas by role has this role.
std::string cel_count_role(const std::string& list, const std::string& role) {
  return fmt::format("{}.filter(key, key in self.{}).size()", cel_spellings(role), list);
}

/// For a spec with a map of replicas by role: at least one role, only these, and each of them once. The keys are
/// counted, because an API server refuses rules that look at every key of a map without bounds.
std::vector<Rule> role_rules(const std::string& list, const std::vector<std::string>& roles) {
  std::vector<std::string> known;
  std::vector<std::string> once;
  for (const std::string& role : roles) {
    known.push_back(cel_count_role(list, role));
    once.push_back(cel_count_role(list, role) + " <= 1");
  }
  return {{.cel = fmt::format("size(self.{}) > 0", list),
           .message = "must have a role: " + join(roles, ", "),
           .field = list,
           .fault = Rule::Fault::kRequired},
          {.cel = fmt::format("size(self.{}) == {}", list, join(known, " + ")),
           .message = "must have no roles but " + join(roles, ", "),
           .field = list},
          {.cel = join(once, " && "), .message = "must have each role once, in whatever case", .field = list}};
}

/// For the same spec: the role, if present, has one replica.
Rule one_replica_rule(const std::string& list, const std::string& role, std::string message) {
  return {.cel = cel_if_role(list, role, fmt::format("self.{}[key].replicas == 1", list)),
          .message = std::move(message),
          .field = fmt::format("{}.{}.replicas", list, role)};
}

std::vector<Rule> pytorch_job_rules() {
  std::vector<Rule> rules = role_rules("pytorchReplicaSpecs", {"Master", "Worker"});
  rules.push_back(one_replica_rule("pytorchReplicaSpecs", "Master", "must be 1, there is one master"));
  rules.push_back({.cel = cel_if_role("pytorchReplicaSpecs", "Worker", "self.pytorchReplicaSpecs[key].replicas >= 1"),
                   .message = "must be at least 1; omit Worker for none",
                   .field = "pytorchReplicaSpecs.Worker.replicas"});
  rules.push_back({.cel = "!has(self.elasticPolicy) || " + cel_has_role("pytorchReplicaSpecs", "Worker"),
                   .message = "must be configured if elastic policy is used",
                   .field = "pytorchReplicaSpecs.Worker",
                   .fault = Rule::Fault::kRequired});
  rules.push_back({.cel = "!has(self.elasticPolicy) || !has(self.elasticPolicy.nProcPerNode) || "
                          "!has(self.nprocPerNode) || self.nprocPerNode == ''",
                   .message = "must not be used with spec.nprocPerNode",
                   .field = "elasticPolicy.nProcPerNode",
                   .fault = Rule::Fault::kForbidden});
  return rules;
}

}  // namespace

TypeDesc describe(Of<KubeflowSchedulingPolicy>) {
  return object<KubeflowSchedulingPolicy>(
      "SchedulingPolicy", "How the pods of a job are scheduled together.",
      field<&KubeflowSchedulingPolicy::min_available>(
          "minAvailable", "Minimum number of pods that must start together; all if not set.")
          .min(0),
      field<&KubeflowSchedulingPolicy::queue>("queue", "Queue the job waits in.").immutable_once_set(),
      field<&KubeflowSchedulingPolicy::min_resources>("minResources", "Resources that must be free to start."),
      field<&KubeflowSchedulingPolicy::priority_class>("priorityClass", "Priority class of the job."),
      field<&KubeflowSchedulingPolicy::schedule_timeout_seconds>("scheduleTimeoutSeconds",
                                                                 "Seconds to wait until all pods can be scheduled.")
          .min(0));
}

TypeDesc describe(Of<KubeflowRunPolicy>) {
  return object<KubeflowRunPolicy>(
      "RunPolicy", "How long a job may run, how often it restarts and what remains of it.",
      field<&KubeflowRunPolicy::clean_pod_policy>("cleanPodPolicy", "Which pods are deleted when the job ends.")
          .one_of({"None", "Running", "All"})
          .default_value("None"),
      field<&KubeflowRunPolicy::ttl_seconds_after_finished>(
          "ttlSecondsAfterFinished", "Seconds to keep the job after it ends; kept until deleted if not set.")
          .min(0),
      field<&KubeflowRunPolicy::active_deadline_seconds>("activeDeadlineSeconds",
                                                         "Seconds that the job may run before it is failed.")
          .min(1),
      field<&KubeflowRunPolicy::backoff_limit>("backoffLimit",
                                               "How many restarts are allowed before the job fails; no limit if "
                                               "not set.")
          .min(0),
      field<&KubeflowRunPolicy::scheduling_policy>("schedulingPolicy", "How the pods are scheduled together."),
      field<&KubeflowRunPolicy::suspend>("suspend", "While true, the job has no pods.").default_value(false),
      field<&KubeflowRunPolicy::managed_by>("managedBy", "Controller that manages the job.")
          .one_of({"kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue", kManagerName})
          .immutable());
}

TypeDesc describe(Of<KubeflowReplicaSpec>) {
  return object<KubeflowReplicaSpec>(
             "ReplicaSpec", "One role of a job: how many replicas, and what they run.",
             field<&KubeflowReplicaSpec::replicas>("replicas", "How many replicas the role has.")
                 .min(0)
                 .max(kMaxReplicas)
                 .default_value(1),
             field<&KubeflowReplicaSpec::restart_policy>("restartPolicy", "When a replica that ended restarts.")
                 .one_of({"Always", "OnFailure", "Never", "ExitCode"})
                 .default_value("OnFailure"),
             field<&KubeflowReplicaSpec::template_>("template", "Template of the role's pods."))
      .rules({has_container_rule()});
}

TypeDesc describe(Of<RdzvConf>) {
  return object<RdzvConf>("RDZVConf", "One setting of the rendezvous backend.",
                          field<&RdzvConf::key>("key", "Name of the setting."),
                          field<&RdzvConf::value>("value", "Value of the setting."));
}

TypeDesc describe(Of<ElasticPolicy>) {
  return object<ElasticPolicy>(
             "ElasticPolicy", "Launches the workers through torchrun, and lets their number change.",
             field<&ElasticPolicy::min_replicas>("minReplicas", "Minimum number of workers.").min(1).max(kMaxReplicas),
             field<&ElasticPolicy::max_replicas>("maxReplicas", "Maximum number of workers.").min(1).max(kMaxReplicas),
             field<&ElasticPolicy::rdzv_backend>("rdzvBackend",
                                                 "How the workers find each other: c10d, etcd or etcd-v2."),
             field<&ElasticPolicy::rdzv_port>("rdzvPort", "Port of the rendezvous.").min(1).max(65535),
             field<&ElasticPolicy::rdzv_host>("rdzvHost", "Host of the rendezvous; the first worker if not set."),
             field<&ElasticPolicy::rdzv_id>("rdzvId", "Name of the rendezvous."),
             field<&ElasticPolicy::rdzv_conf>("rdzvConf", "More settings of the rendezvous backend."),
             field<&ElasticPolicy::standalone>("standalone", "Whether each worker is a rendezvous of its own."),
             field<&ElasticPolicy::n_proc_per_node>("nProcPerNode",
                                                    "Processes per worker; superseded by spec.nprocPerNode.")
                 .min(1)
                 .deprecated("spec.nprocPerNode"),
             field<&ElasticPolicy::max_restarts>("maxRestarts", "Restarts of the processes inside a worker.").min(0),
             field<&ElasticPolicy::metrics>("metrics", "Metrics of a cluster's autoscaler."))
      .rules({{.cel = "!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas",
               .message = "must be at least minReplicas",
               .field = "maxReplicas"}});
}

TypeDesc describe(Of<PyTorchJobSpec>) {
  return object<PyTorchJobSpec>(
             "PyTorchJobSpec", "What a job runs, and how.",
             field<&PyTorchJobSpec::run_policy>("runPolicy", "Deadline, retries, clean-up and suspension.")
                 .default_value(json::Object{}),
             field<&PyTorchJobSpec::elastic_policy>("elasticPolicy", "Launches the workers through torchrun."),
             field<&PyTorchJobSpec::pytorch_replica_specs>("pytorchReplicaSpecs",
                                                           "Roles of the job: Master and Worker.")
                 .required(),
             field<&PyTorchJobSpec::nproc_per_node>("nprocPerNode",
                                                    "Processes per replica: auto, cpu, gpu or a number in quotes."))
      .rules(pytorch_job_rules());
}

TypeDesc describe(Of<KubeflowReplicaStatus>) {
  return object<KubeflowReplicaStatus>(
             "ReplicaStatus", "How many replicas of a role are in which state.",
             field<&KubeflowReplicaStatus::active>("active", "Number of waiting or running replicas."),
             field<&KubeflowReplicaStatus::succeeded>("succeeded", "Number of succeeded replicas."),
             field<&KubeflowReplicaStatus::failed>("failed", "Number of failed replicas."),
             field<&KubeflowReplicaStatus::selector>("selector", "Label selector of the pods of the role."))
      .partial({"labelSelector"});
}

TypeDesc describe(Of<KubeflowJobStatus>) {
  return object<KubeflowJobStatus>(
      "JobStatus", "Status of a job.",
      field<&KubeflowJobStatus::conditions>("conditions", "Conditions of the job; the last entry is its state."),
      field<&KubeflowJobStatus::replica_statuses>("replicaStatuses", "Replicas of each role by state."),
      field<&KubeflowJobStatus::start_time>("startTime", "When the controller accepted the job."),
      field<&KubeflowJobStatus::completion_time>("completionTime", "When the job ended."),
      field<&KubeflowJobStatus::last_reconcile_time>("lastReconcileTime",
                                                     "When the controller last looked at the job."),
      field<&KubeflowJobStatus::restart_count>("restartCount", "Restarts counted against runPolicy.backoffLimit."),
      field<&KubeflowJobStatus::attempts>("attempts",
                                          "Attempts that ended, by replica; a replica without an entry had none."),
      field<&KubeflowJobStatus::incident_replicas>(
          "incidentReplicas", "Replicas that restarted one by one because of the current incident."),
      field<&KubeflowJobStatus::succeeded_replicas>(
          "succeededReplicas", "Replicas that have succeeded while the job still runs; they do not run again alone."),
      field<&KubeflowJobStatus::next_retry_time>("nextRetryTime", "When a replica that failed restarts."),
      field<&KubeflowJobStatus::master_port>("masterPort", "Port of rank 0, chosen once per job."),
      field<&KubeflowJobStatus::port_count>("portCount", "Ports of the job, from masterPort on; one if not set."),
      field<&KubeflowJobStatus::observed_generation>("observedGeneration",
                                                     "Generation of the job that this status is about."));
}

TypeDesc describe(Of<PyTorchJob>) {
  return root<PyTorchJob>("kubeflow.org/v1", "PyTorchJob", "A distributed training job with PyTorch.",
                          field<&PyTorchJob::metadata>("metadata", "Name, labels, owners and history."),
                          field<&PyTorchJob::spec>("spec", "What the job runs, and how.").required(),
                          field<&PyTorchJob::status>("status", "Status of the job; written by the controller."))
      .name_pattern(kJobNamePattern);
}

// ---- TFJob and MPIJob ----

namespace {

/// The replicas of a TFJob are not restarted unless it says so.
TypeDesc tf_replica() {
  TypeDesc type = type_of<KubeflowReplicaSpec>();
  type.name = "TFReplicaSpec";
  type.field_to_change("restartPolicy").default_value = "Never";
  return type;
}

/// The two versions of an MPIJob have different defaults, so no default is written into the object.
TypeDesc mpi_replica() {
  TypeDesc type = type_of<KubeflowReplicaSpec>();
  type.name = "MPIReplicaSpec";
  type.field_to_change("restartPolicy").default_value.reset();
  type.field_to_change("replicas").default_value.reset();
  return type;
}

/// In v2beta1 the launcher is a Kubernetes Job, which has no other policies.
TypeDesc mpi_replica_v2beta1() {
  TypeDesc type = mpi_replica();
  type.field_to_change("restartPolicy").one_of = {"Never", "OnFailure"};
  return type;
}

TypeDesc mpi_run_policy() {
  TypeDesc type = type_of<KubeflowRunPolicy>();
  type.name = "MPIRunPolicy";
  type.field_to_change("cleanPodPolicy").default_value.reset();  // a default would hide spec.cleanPodPolicy
  type.field_to_change("managedBy").one_of = {"kubeflow.org/mpi-operator", "kubeflow.org/training-operator",
                                              "kueue.x-k8s.io/multikueue", kManagerName};
  return type;
}

TypeDesc mpi_run_policy_v2beta1() {
  TypeDesc type = mpi_run_policy();
  type.field_to_change("activeDeadlineSeconds").min = 0;
  return type;
}

TypeDesc mpi_status_v2beta1() {
  TypeDesc type = type_of<KubeflowJobStatus>();
  type.field_to_change("conditions").list_map_key = "type";
  return type;
}

bool has_a_tf_replica(const json::Document& self) {
  const json::Document* roles = self.find("tfReplicaSpecs");
  if (roles == nullptr || !roles->is_object() || roles->as_object().empty()) return true;
  return std::ranges::any_of(roles->as_object(), [](const auto& role) {
    return role.value.find("replicas") == nullptr || role.value.int_at("replicas") >= 1;
  });
}
bool has_chief_or_master_alone(const json::Document& self) {
  const json::Document* roles = self.find("tfReplicaSpecs");
  return find_role(roles, "Chief") == nullptr || find_role(roles, "Master") == nullptr;
}
bool has_launcher(const json::Document& self) {
  return find_role(self.find("mpiReplicaSpecs"), "Launcher") != nullptr;
}
bool has_one_launcher(const json::Document& self) {
  const json::Document* launcher = find_role(self.find("mpiReplicaSpecs"), "Launcher");
  return launcher == nullptr || launcher->find("replicas") == nullptr || launcher->int_at("replicas") == 1;
}
bool counts_workers(const json::Document& self) {
  const json::Document* worker = find_role(self.find("mpiReplicaSpecs"), "Worker");
  return worker == nullptr || worker->int_at("replicas") >= 1;
}

std::vector<Rule> tf_rules() {
  std::vector<Rule> rules = role_rules("tfReplicaSpecs", {"Chief", "Evaluator", "Master", "PS", "Worker"});
  for (const char* role : {"Chief", "Master"}) {
    rules.push_back(one_replica_rule("tfReplicaSpecs", role, "must be 1, there is one chief"));
  }
  rules.push_back({.cel = fmt::format("!{} || !{}", cel_has_role("tfReplicaSpecs", "Chief"),
                                      cel_has_role("tfReplicaSpecs", "Master")),
                   .message = "must not have both Chief and Master",
                   .field = "tfReplicaSpecs",
                   .fault = Rule::Fault::kForbidden,
                   .holds = &has_chief_or_master_alone});
  rules.push_back({.cel = "size(self.tfReplicaSpecs) == 0 || "
                          "self.tfReplicaSpecs.exists(role, self.tfReplicaSpecs[role].replicas >= 1)",
                   .message = "must have at least one replica",
                   .field = "tfReplicaSpecs",
                   .holds = &has_a_tf_replica});
  return rules;
}

std::vector<Rule> mpi_rules() {
  const std::string list = "mpiReplicaSpecs";
  std::vector<Rule> rules = role_rules(list, {"Launcher", "Worker"});
  rules.front() = {.cel = cel_has_role(list, "Launcher"),
                   .message = "must have a Launcher",
                   .field = list,
                   .fault = Rule::Fault::kRequired,
                   .holds = &has_launcher};
  rules.push_back({.cel = cel_if_role(list, "Launcher",
                                      "!has(self.mpiReplicaSpecs[key].replicas) || "
                                      "self.mpiReplicaSpecs[key].replicas == 1"),
                   .message = "must have one replica of Launcher",
                   .field = list,
                   .holds = &has_one_launcher});
  return rules;
}

/// v1 has no workers unless it gives their number; v2beta1 requires the number.
Rule counts_workers_rule() {
  return {.cel = cel_if_role("mpiReplicaSpecs", "Worker",
                             "(has(self.mpiReplicaSpecs[key].replicas) && self.mpiReplicaSpecs[key].replicas >= 1)"),
          .message = "must say how many replicas of Worker there are, at least 1; omit Worker for none",
          .field = "mpiReplicaSpecs",
          .holds = &counts_workers};
}

bool is_not_empty(std::string_view text) {
  return !text.empty();
}

TypeDesc mpi_spec_v2beta1() {
  using RoleSpecs = std::map<std::string, KubeflowReplicaSpec>;
  TypeDesc type = type_of<KubeflowMpiJobSpec>();
  type.field_to_change("mpiReplicaSpecs").type = &made<&detail::container_of<RoleSpecs, &made<&mpi_replica_v2beta1>>>;
  type.field_to_change("runPolicy").type = &made<&mpi_run_policy_v2beta1>;
  type.field_to_change("runLauncherAsWorker").default_value = false;
  type.field_to_change("mpiImplementation").default_value = "OpenMPI";
  FieldDesc& keys = type.field_to_change("sshAuthMountPath");
  keys.default_value = "/root/.ssh";
  keys.pattern = "^.+$";
  keys.matches = &is_not_empty;
  type.rules.push_back(counts_workers_rule());
  return type;
}

TypeDesc mpi_job(const char* api_version, TypeRef spec, TypeRef status) {
  return root<KubeflowMpiJob>(
             api_version, "MPIJob", "A program that mpirun starts on several workers, such as Horovod.",
             field<&KubeflowMpiJob::metadata>("metadata", "Name, labels, owners and history."),
             field<&KubeflowMpiJob::spec>("spec", "What the job runs, and how.").described_as(spec).required(),
             field<&KubeflowMpiJob::status>("status", "Status of the job; written by the controller.")
                 .described_as(status))
      .name_pattern(kJobNamePattern);
}

}  // namespace

TypeDesc describe(Of<TFJobSpec>) {
  return object<TFJobSpec>("TFJobSpec", "What a job runs, and how.",
                           field<&TFJobSpec::run_policy>("runPolicy", "Deadline, retries, clean-up and suspension.")
                               .default_value(json::Object{}),
                           field<&TFJobSpec::tf_replica_specs>(
                               "tfReplicaSpecs", "Roles of the job: PS, Worker, Chief or Master, and Evaluator.")
                               .elements_as<&made<&tf_replica>>()
                               .required(),
                           field<&TFJobSpec::success_policy>(
                               "successPolicy",
                               "AllWorkers: the job succeeds when all workers have succeeded; otherwise when "
                               "the chief or the first worker has.")
                               .one_of({"", "AllWorkers"}),
                           field<&TFJobSpec::enable_dynamic_worker>(
                               "enableDynamicWorker", "Whether the number of workers may change while the job runs."))
      .rules(tf_rules());
}

TypeDesc describe(Of<TFJob>) {
  return root<TFJob>("kubeflow.org/v1", "TFJob", "A distributed training job with TensorFlow.",
                     field<&TFJob::metadata>("metadata", "Name, labels, owners and history."),
                     field<&TFJob::spec>("spec", "What the job runs, and how.").required(),
                     field<&TFJob::status>("status", "Status of the job; written by the controller."))
      .name_pattern(kJobNamePattern);
}

TypeDesc describe(Of<KubeflowMpiJobSpec>) {
  return object<KubeflowMpiJobSpec>(
             "MPIJobSpec", "What a job runs, and how: the fields of kubeflow.org/v1 and of v2beta1.",
             field<&KubeflowMpiJobSpec::slots_per_worker>("slotsPerWorker", "Processes per worker.")
                 .min(0)
                 .default_value(1),
             field<&KubeflowMpiJobSpec::run_policy>("runPolicy", "Deadline, retries, clean-up and suspension.")
                 .described_as(&made<&mpi_run_policy>)
                 .default_value(json::Object{}),
             field<&KubeflowMpiJobSpec::mpi_replica_specs>("mpiReplicaSpecs", "Roles of the job: Launcher and Worker.")
                 .elements_as<&made<&mpi_replica>>()
                 .required(),
             field<&KubeflowMpiJobSpec::clean_pod_policy>("cleanPodPolicy",
                                                          "In v1: same as runPolicy.cleanPodPolicy, which wins.")
                 .one_of({"None", "Running", "All"}),
             field<&KubeflowMpiJobSpec::main_container>("mainContainer",
                                                        "In v1: container of a worker that runs the processes."),
             field<&KubeflowMpiJobSpec::run_launcher_as_worker>(
                 "runLauncherAsWorker", "Of v2beta1: whether processes run in the launcher as well."),
             field<&KubeflowMpiJobSpec::ssh_auth_mount_path>(
                 "sshAuthMountPath", "In v2beta1: folder of the keys in each pod; /root/.ssh if not set."),
             field<&KubeflowMpiJobSpec::launcher_creation_policy>(
                 "launcherCreationPolicy", "In v2beta1: when the launcher is created; AtStartup if not set.")
                 .one_of({"AtStartup", "WaitForWorkersReady"}),
             field<&KubeflowMpiJobSpec::mpi_implementation>(
                 "mpiImplementation", "In v2beta1: MPI implementation of the image; OpenMPI if not set.")
                 .one_of({"OpenMPI", "Intel", "MPICH"}))
      .rules(mpi_rules());
}

TypeDesc describe(Of<KubeflowMpiJob>) {
  return mpi_job("kubeflow.org/v1", &type_of<KubeflowMpiJobSpec>, &type_of<KubeflowJobStatus>);
}

const TypeDesc& mpi_job_v2beta1_type() {
  static const TypeDesc desc = mpi_job("kubeflow.org/v2beta1", &made<&mpi_spec_v2beta1>, &made<&mpi_status_v2beta1>);
  return desc;
}

}  // namespace muster::reflect
