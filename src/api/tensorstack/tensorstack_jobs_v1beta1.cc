#include "api/tensorstack/tensorstack_jobs_v1beta1.h"

#include <algorithm>

#include "api/muster/limits.h"
#include "api/tensorstack/tensorstack_replicas.h"
#include "base/strings.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

namespace {

TypeDesc tensorflow_replica() {
  return replica_of("TensorFlowReplicaSpec", {"chief", "worker", "ps", "evaluator"});
}

TypeDesc xgboost_replica() {
  return replica_of("XGBoostReplicaSpec", {"master", "worker"});
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

TypeDesc describe(Of<TensorFlowTrainingJobSpec>) {
  return object<TensorFlowTrainingJobSpec>(
             "TensorFlowTrainingJobSpec", "What a job runs, and how.",
             field<&TensorFlowTrainingJobSpec::run_mode>("runMode", "Train, debug or pause; train if not set."),
             field<&TensorFlowTrainingJobSpec::scheduler>("scheduler", "Scheduler of the pods."),
             field<&TensorFlowTrainingJobSpec::run_policy>("runPolicy", "Deadline, retries and clean-up.")
                 .default_value(json::Object{}),
             field<&TensorFlowTrainingJobSpec::replica_specs>("replicaSpecs",
                                                              "Roles of the job: chief, worker, ps and evaluator.")
                 .elements_as<&made<&tensorflow_replica>>()
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
}

TypeDesc describe(Of<TensorFlowTrainingJob>) {
  return root<TensorFlowTrainingJob>(
      "batch.tensorstack.dev/v1beta1", "TensorFlowTrainingJob", "A distributed training job with TensorFlow.",
      field<&TensorFlowTrainingJob::metadata>("metadata", "Name, labels, owners and history."),
      field<&TensorFlowTrainingJob::spec>("spec", "What the job runs, and how.").required(),
      field<&TensorFlowTrainingJob::status>("status", "Status of the job; written by the controller."));
}

TypeDesc describe(Of<XGBoostTrainingJobSpec>) {
  return object<XGBoostTrainingJobSpec>(
             "XGBoostTrainingJobSpec", "What a job runs, and how.",
             field<&XGBoostTrainingJobSpec::run_mode>("runMode", "Train, debug or pause; train if not set."),
             field<&XGBoostTrainingJobSpec::scheduler>("scheduler", "Scheduler of the pods."),
             field<&XGBoostTrainingJobSpec::run_policy>("runPolicy", "Deadline, retries and clean-up.")
                 .default_value(json::Object{}),
             field<&XGBoostTrainingJobSpec::replica_specs>("replicaSpecs", "Roles of the job: one master, and workers.")
                 .elements_as<&made<&xgboost_replica>>()
                 .required()
                 .min_items(1)
                 .list_map_key("type"))
      .rules({{.cel = "self.replicaSpecs.exists(r, r.type == 'master' && r.replicas == 1)",
               .message = "must have a master with one replica",
               .field = "replicaSpecs",
               .fault = Rule::Fault::kRequired,
               .holds = &has_one_master}});
}

TypeDesc describe(Of<XGBoostTrainingJob>) {
  return root<XGBoostTrainingJob>(
      "batch.tensorstack.dev/v1beta1", "XGBoostTrainingJob", "A distributed training job with XGBoost.",
      field<&XGBoostTrainingJob::metadata>("metadata", "Name, labels, owners and history."),
      field<&XGBoostTrainingJob::spec>("spec", "What the job runs, and how.").required(),
      field<&XGBoostTrainingJob::status>("status", "Status of the job; written by the controller."));
}

// ---- GenericJob ----

TypeDesc describe(Of<GenericRestartPolicy>) {
  return object<GenericRestartPolicy>(
      "GenericRestartPolicy", "When and how often a replica restarts.",
      field<&GenericRestartPolicy::policy>("policy", "When a replica that ended restarts.")
          .one_of({"Never", "OnFailure", "Always"})
          .default_value("OnFailure"),
      field<&GenericRestartPolicy::limit>("limit", "Maximum number of restarts of all replicas of the role together.")
          .min(0)
          .default_value(0));
}

TypeDesc describe(Of<GenericReplicaSpec>) {
  return object<GenericReplicaSpec>(
             "GenericReplicaSpec", "One role of a job: how many replicas, and what they run.",
             field<&GenericReplicaSpec::type>("type", "Name of the role, unique in the job.")
                 .required()
                 .pattern(kRolePattern, &is_dns_label),
             field<&GenericReplicaSpec::replicas>("replicas", "How many replicas the role has.")
                 .min(0)
                 .max(kMaxReplicas)
                 .default_value(1),
             field<&GenericReplicaSpec::restart_policy>("restartPolicy", "When and how often replicas restart.")
                 .default_value(json::Object{}),
             field<&GenericReplicaSpec::template_>("template", "Template of the role's pods.").required())
      .rules({has_container_rule()});
}

TypeDesc describe(Of<GenericService>) {
  return object<GenericService>(
      "GenericService", "Gives every replica a name that the others can resolve.",
      field<&GenericService::ports>("ports", "Ports that every replica offers.").required().min_items(1));
}

TypeDesc describe(Of<GenericJobSpec>) {
  return object<GenericJobSpec>(
             "GenericJobSpec", "What a job runs, and when it succeeds or fails.",
             field<&GenericJobSpec::run_mode>("runMode", "Run, debug or pause; run if not set."),
             field<&GenericJobSpec::scheduler>("scheduler", "Scheduler of the pods."),
             field<&GenericJobSpec::success_rules>("successRules",
                                                   "The job succeeds when all replicas of one rule have succeeded."),
             field<&GenericJobSpec::failure_rules>("failureRules",
                                                   "The job fails when all replicas of one rule have failed for good."),
             field<&GenericJobSpec::service>("service",
                                             "Gives every replica a name; replicas have no names if not set."),
             field<&GenericJobSpec::clean_up_policy>("cleanUpPolicy", "Which pods are deleted when the job ends.")
                 .one_of({"None", "Unfinished", "All"})
                 .default_value("None"),
             field<&GenericJobSpec::ttl_seconds_after_finished>(
                 "ttlSecondsAfterFinished", "Seconds to keep the job after it ends; kept until deleted if not set.")
                 .min(0),
             field<&GenericJobSpec::replica_specs>("replicaSpecs", "Roles of the job.")
                 .required()
                 .min_items(1)
                 .list_map_key("type"))
      .rules({{.cel = "size(self.replicaSpecs) == 0 || self.replicaSpecs.exists(r, r.replicas >= 1)",
               .message = "must have at least one replica",
               .field = "replicaSpecs",
               .holds = &has_a_generic_replica}});
}

TypeDesc describe(Of<GenericJob>) {
  return root<GenericJob>(
      "batch.tensorstack.dev/v1beta1", "GenericJob", "Arbitrary programs in several roles.",
      field<&GenericJob::metadata>("metadata", "Name, labels, owners and history."),
      field<&GenericJob::spec>("spec", "What the job runs, and when it succeeds or fails.").required(),
      field<&GenericJob::status>("status", "Status of the job; written by the controller."));
}

// ---- MPIJob ----

// It comes in three shapes: mpiConfig with replicaSpecs, worker with cmd and extraMPIArgs, and worker with
// processesPerWorker and processRecovery. The object is stored as written; two fields with the same meaning are
// rejected.

namespace {

TypeDesc mpi_replica() {
  TypeDesc type = replica_of("MPIReplicaSpec", {"launcher", "worker"});
  type.rules.clear();  // an empty template of the launcher is derived from the workers'
  return type;
}

bool is_absolute(std::string_view text) {
  return text.starts_with('/');
}

bool has_list(const json::Document& self, std::string_view part, std::string_view list) {
  return !self.array_at(part, list).empty();
}

bool has_workers(const json::Document& self) {
  return self.find("replicaSpecs") != nullptr || self.find("worker") != nullptr;
}
bool says_workers_once(const json::Document& self) {
  return self.find("replicaSpecs") == nullptr || self.find("worker") == nullptr;
}
bool says_mca_once(const json::Document& self) {
  return self.at("mpiConfig", "mca") == nullptr || self.find("mca") == nullptr;
}
bool says_home_once(const json::Document& self) {
  return self.at("mpiConfig", "home") == nullptr || self.find("mpiHome") == nullptr;
}
bool says_program_once(const json::Document& self) {
  return self.at("mpiConfig", "script") == nullptr || self.at("worker", "cmd") == nullptr;
}
bool says_flags_once(const json::Document& self) {
  return self.at("mpiConfig", "extraArgs") == nullptr || self.at("worker", "extraMPIArgs") == nullptr;
}
bool has_program(const json::Document& self) {
  return has_list(self, "mpiConfig", "script") || has_list(self, "worker", "cmd") ||
         is_switched_on(self.at("runMode", "debug"));
}
bool has_one_launcher(const json::Document& self) {
  return self.find("replicaSpecs") == nullptr || replicas_of(self, "launcher") == 1;
}
bool has_a_worker(const json::Document& self) {
  return self.find("replicaSpecs") == nullptr || replicas_of(self, "worker") >= 1;
}

std::vector<Rule> mpi_rules() {
  using Fault = Rule::Fault;
  return {
      {.cel = "has(self.replicaSpecs) || has(self.worker)",
       .message = "must have replicaSpecs, or worker in the older form",
       .field = "replicaSpecs",
       .fault = Fault::kRequired,
       .holds = &has_workers},
      {.cel = "!has(self.replicaSpecs) || !has(self.worker)",
       .message = "must not be used with replicaSpecs, which says the same",
       .field = "worker",
       .fault = Fault::kForbidden,
       .holds = &says_workers_once},
      {.cel = "!has(self.mpiConfig) || !has(self.mpiConfig.mca) || !has(self.mca)",
       .message = "must not be used with mpiConfig.mca, which says the same",
       .field = "mca",
       .fault = Fault::kForbidden,
       .holds = &says_mca_once},
      {.cel = "!has(self.mpiConfig) || !has(self.mpiConfig.home) || !has(self.mpiHome)",
       .message = "must not be used with mpiConfig.home, which says the same",
       .field = "mpiHome",
       .fault = Fault::kForbidden,
       .holds = &says_home_once},
      {.cel = "!has(self.mpiConfig) || !has(self.mpiConfig.script) || !has(self.worker) || !has(self.worker.cmd)",
       .message = "must not be used with mpiConfig.script, which says the same",
       .field = "worker.cmd",
       .fault = Fault::kForbidden,
       .holds = &says_program_once},
      {.cel = "!has(self.mpiConfig) || !has(self.mpiConfig.extraArgs) || !has(self.worker) || "
              "!has(self.worker.extraMPIArgs)",
       .message = "must not be used with mpiConfig.extraArgs, which says the same",
       .field = "worker.extraMPIArgs",
       .fault = Fault::kForbidden,
       .holds = &says_flags_once},
      {.cel = "(has(self.mpiConfig) && has(self.mpiConfig.script) && size(self.mpiConfig.script) > 0) || "
              "(has(self.worker) && has(self.worker.cmd) && size(self.worker.cmd) > 0) || "
              "(has(self.runMode) && has(self.runMode.debug) && " +
              cel_switched_on("self.runMode.debug") + ")",
       .message = "must name the program in mpiConfig.script, or in worker.cmd in the older form",
       .field = "mpiConfig",
       .fault = Fault::kRequired,
       .holds = &has_program},
      {.cel = "!has(self.replicaSpecs) || self.replicaSpecs.exists(r, r.type == 'launcher' && r.replicas == 1)",
       .message = "must have a launcher with one replica",
       .field = "replicaSpecs",
       .fault = Fault::kRequired,
       .holds = &has_one_launcher},
      {.cel = "!has(self.replicaSpecs) || self.replicaSpecs.exists(r, r.type == 'worker' && r.replicas >= 1)",
       .message = "must have at least one worker",
       .field = "replicaSpecs",
       .fault = Fault::kRequired,
       .holds = &has_a_worker},
  };
}

}  // namespace

TypeDesc describe(Of<LauncherRunPolicy>) {
  return object<LauncherRunPolicy>(
      "LauncherRunPolicy", "What remains of an ended job that has a launcher.",
      field<&LauncherRunPolicy::clean_up_workers>("cleanUpWorkers",
                                                  "Whether workers are deleted when the job ends; the launcher stays.")
          .default_value(false),
      field<&LauncherRunPolicy::ttl_seconds_after_finished>(
          "ttlSecondsAfterFinished", "Seconds to keep the job after it ends; kept until deleted if not set.")
          .min(0));
}

TypeDesc describe(Of<SshConfig>) {
  return object<SshConfig>("SSHConfig", "How the launcher reaches the workers.",
                           field<&SshConfig::ssh_auth_mount_path>(
                               "sshAuthMountPath", "Folder of the keys in each pod; /root/.ssh if not set.")
                               .also_known_as("authMountPath")
                               .pattern("^/", &is_absolute),
                           field<&SshConfig::sshd_path>("sshdPath", "Absolute path of sshd in the image.")
                               .pattern("^/", &is_absolute)
                               .default_value("/usr/sbin/sshd"));
}

TypeDesc describe(Of<MpiConfig>) {
  return object<MpiConfig>("MPIConfig", "What mpirun runs, and how.",
                           field<&MpiConfig::mca>("mca", "Settings of Open MPI by name."),
                           field<&MpiConfig::home>("home", "Folder where Open MPI is installed in the image."),
                           field<&MpiConfig::extra_args>("extraArgs", "More options for mpirun."),
                           field<&MpiConfig::script>("script", "The program and its arguments."));
}

TypeDesc describe(Of<MpiProcessRecovery>) {
  return object<MpiProcessRecovery>(
      "MPIProcessRecovery", "Whether mpirun restarts processes.",
      field<&MpiProcessRecovery::enable>("enable", "Whether processes that fail restart."),
      field<&MpiProcessRecovery::limit>("limit", "Maximum number of restarts.").min(0));
}

TypeDesc describe(Of<MpiWorkerSpec>) {
  return object<MpiWorkerSpec>(
             "MPIWorkerSpec", "Older form of replicaSpecs and mpiConfig: the workers and what they run.",
             field<&MpiWorkerSpec::replicas>("replicas", "How many workers there are.")
                 .min(1)
                 .max(kMaxReplicas)
                 .default_value(1),
             field<&MpiWorkerSpec::template_>("template", "Template of the workers' pods.").required(),
             field<&MpiWorkerSpec::cmd>("cmd", "The program and its arguments."),
             field<&MpiWorkerSpec::extra_mpi_args>("extraMPIArgs", "More options for mpirun."),
             field<&MpiWorkerSpec::processes_per_worker>("processesPerWorker", "Processes per worker, as with -N.")
                 .min(1),
             field<&MpiWorkerSpec::process_recovery>("processRecovery", "Whether mpirun restarts processes."))
      .rules({has_container_rule()});
}

TypeDesc describe(Of<TensorStackMpiJobSpec>) {
  return object<TensorStackMpiJobSpec>(
             "MPIJobSpec", "What a job runs, and how.",
             field<&TensorStackMpiJobSpec::run_mode>("runMode", "Run, debug or pause; run if not set."),
             field<&TensorStackMpiJobSpec::scheduler>("scheduler", "Scheduler of the pods."),
             field<&TensorStackMpiJobSpec::run_policy>("runPolicy", "What remains of the job when it ends.")
                 .default_value(json::Object{}),
             field<&TensorStackMpiJobSpec::ssh>("ssh", "How the launcher reaches the workers."),
             field<&TensorStackMpiJobSpec::mpi_config>("mpiConfig", "What mpirun runs, and how."),
             field<&TensorStackMpiJobSpec::replica_specs>("replicaSpecs",
                                                          "Roles of the job: one launcher, and workers.")
                 .elements_as<&made<&mpi_replica>>()
                 .min_items(1)
                 .list_map_key("type"),
             field<&TensorStackMpiJobSpec::worker>("worker", "Older form of replicaSpecs and mpiConfig."),
             field<&TensorStackMpiJobSpec::mca>("mca", "Older form of mpiConfig.mca."),
             field<&TensorStackMpiJobSpec::mpi_home>("mpiHome", "Older form of mpiConfig.home."))
      .rules(mpi_rules());
}

TypeDesc describe(Of<TensorStackMpiJob>) {
  return root<TensorStackMpiJob>(
      "batch.tensorstack.dev/v1beta1", "MPIJob", "A program that mpirun starts on several workers, such as Horovod.",
      field<&TensorStackMpiJob::metadata>("metadata", "Name, labels, owners and history."),
      field<&TensorStackMpiJob::spec>("spec", "What the job runs, and how.").required(),
      field<&TensorStackMpiJob::status>("status", "Status of the job; written by the controller."));
}

}  // namespace muster::reflect
