// Descriptors of batch.tensorstack.dev MPIJob, which comes in three shapes: mpiConfig with replicaSpecs, worker with
// cmd and extraMPIArgs, and worker with processesPerWorker and processRecovery. The object is stored as written; two
// fields with the same meaning are rejected.
#include "api/limits.h"
#include "api/tensorstack/tensorstack_jobs_v1beta1.h"
#include "api/tensorstack/tensorstack_replicas.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

namespace {

const TypeDesc& mpi_replica() {
  static const TypeDesc desc = [] {
    TypeDesc type = replica_of("MPIReplicaSpec", {"launcher", "worker"});
    type.rules.clear();  // an empty template of the launcher is derived from the workers'
    return type;
  }();
  return desc;
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

template <>
const TypeDesc& type_of<LauncherRunPolicy>() {
  static const TypeDesc desc = object<LauncherRunPolicy>(
      "LauncherRunPolicy", "What is left of a job that has a launcher.",
      field<&LauncherRunPolicy::clean_up_workers>("cleanUpWorkers",
                                                  "Whether workers are deleted when the job ends; the launcher stays.")
          .default_value(false),
      field<&LauncherRunPolicy::ttl_seconds_after_finished>(
          "ttlSecondsAfterFinished", "Seconds after its end when the job itself is deleted; never when not set.")
          .min(0));
  return desc;
}

template <>
const TypeDesc& type_of<SshConfig>() {
  static const TypeDesc desc =
      object<SshConfig>("SSHConfig", "How the launcher reaches the workers.",
                        field<&SshConfig::ssh_auth_mount_path>(
                            "sshAuthMountPath", "Folder of the keys in each pod; /root/.ssh when not set.")
                            .also_known_as("authMountPath")
                            .pattern("^/", &is_absolute),
                        field<&SshConfig::sshd_path>("sshdPath", "Where sshd is in the image, as an absolute path.")
                            .pattern("^/", &is_absolute)
                            .default_value("/usr/sbin/sshd"));
  return desc;
}

template <>
const TypeDesc& type_of<MpiConfig>() {
  static const TypeDesc desc = object<MpiConfig>(
      "MPIConfig", "What mpirun runs, and how.", field<&MpiConfig::mca>("mca", "Settings of Open MPI by name."),
      field<&MpiConfig::home>("home", "Folder where Open MPI is installed in the image."),
      field<&MpiConfig::extra_args>("extraArgs", "More options for mpirun."),
      field<&MpiConfig::script>("script", "The program and its arguments."));
  return desc;
}

template <>
const TypeDesc& type_of<MpiProcessRecovery>() {
  static const TypeDesc desc = object<MpiProcessRecovery>(
      "MPIProcessRecovery", "Whether mpirun starts processes again.",
      field<&MpiProcessRecovery::enable>("enable", "Whether processes that fail are started again."),
      field<&MpiProcessRecovery::limit>("limit", "How often at most.").min(0));
  return desc;
}

template <>
const TypeDesc& type_of<MpiWorkerSpec>() {
  static const TypeDesc desc =
      object<MpiWorkerSpec>(
          "MPIWorkerSpec", "Older form of replicaSpecs and mpiConfig: the workers and what they run.",
          field<&MpiWorkerSpec::replicas>("replicas", "How many workers there are.")
              .min(1)
              .max(kMaxReplicas)
              .default_value(1),
          field<&MpiWorkerSpec::template_>("template", "From which the pods of the workers are made.").required(),
          field<&MpiWorkerSpec::cmd>("cmd", "The program and its arguments."),
          field<&MpiWorkerSpec::extra_mpi_args>("extraMPIArgs", "More options for mpirun."),
          field<&MpiWorkerSpec::processes_per_worker>("processesPerWorker", "Processes per worker, as with -N.").min(1),
          field<&MpiWorkerSpec::process_recovery>("processRecovery", "Whether mpirun starts processes again."))
          .rules({has_container_rule()});
  return desc;
}

template <>
const TypeDesc& type_of<TensorStackMpiJobSpec>() {
  static const TypeDesc desc =
      object<TensorStackMpiJobSpec>(
          "MPIJobSpec", "What a job runs, and how.",
          field<&TensorStackMpiJobSpec::run_mode>("runMode", "Run, debug or pause; run when not set."),
          field<&TensorStackMpiJobSpec::scheduler>("scheduler", "Which scheduler places the pods."),
          field<&TensorStackMpiJobSpec::run_policy>("runPolicy", "What is left of the job when it ends.")
              .default_value(json::Object{}),
          field<&TensorStackMpiJobSpec::ssh>("ssh", "How the launcher reaches the workers."),
          field<&TensorStackMpiJobSpec::mpi_config>("mpiConfig", "What mpirun runs, and how."),
          field<&TensorStackMpiJobSpec::replica_specs>("replicaSpecs", "Roles of the job: one launcher, and workers.")
              .described_as(&detail::vector_of<TrainingReplicaSpec, &mpi_replica>)
              .min_items(1)
              .list_map_key("type"),
          field<&TensorStackMpiJobSpec::worker>("worker", "Older form of replicaSpecs and mpiConfig."),
          field<&TensorStackMpiJobSpec::mca>("mca", "Older form of mpiConfig.mca."),
          field<&TensorStackMpiJobSpec::mpi_home>("mpiHome", "Older form of mpiConfig.home."))
          .rules(mpi_rules());
  return desc;
}

template <>
const TypeDesc& type_of<TensorStackMpiJob>() {
  static const TypeDesc desc = root<TensorStackMpiJob>(
      "batch.tensorstack.dev/v1beta1", "MPIJob", "Programs that mpirun starts on several workers, such as Horovod's.",
      field<&TensorStackMpiJob::metadata>("metadata", "Name, labels, owners and history."),
      field<&TensorStackMpiJob::spec>("spec", "What the job runs, and how.").required(),
      field<&TensorStackMpiJob::status>("status", "What is known about the job; written by the controller."));
  return desc;
}

}  // namespace muster::reflect
