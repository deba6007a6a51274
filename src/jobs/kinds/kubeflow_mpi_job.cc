#include "jobs/kinds/kubeflow_mpi_job.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/kubeflow/kubeflow_roles.h"
#include "api/muster/names.h"
#include "jobs/kinds/kubeflow.h"
#include "jobs/kinds/mpi.h"
#include "reflect/reflect.h"

namespace muster::jobs {

namespace {

constexpr std::string_view kStoredVersion = "kubeflow.org/v1";
constexpr std::string_view kV2beta1 = "kubeflow.org/v2beta1";
constexpr std::string_view kMpiKind = "MPIJob";
constexpr const char* kLauncherRole = "Launcher";
constexpr const char* kWorkerRole = "Worker";
constexpr const char* kDefaultSshFolder = "/root/.ssh";
constexpr int kLauncherBackoffLimit = 6;  // of the batch/v1 Job that is the launcher in v2beta1

/// The two versions share one stored form. The fields present say which one is meant, else who has written the object.
bool is_v2beta1(const json::Document& object, const api::KubeflowMpiJobSpec& spec) {
  if (spec.run_launcher_as_worker || !spec.ssh_auth_mount_path.empty() || !spec.launcher_creation_policy.empty() ||
      !spec.mpi_implementation.empty()) {
    return true;
  }
  if (!spec.main_container.empty() || !spec.clean_pod_policy.empty()) return false;
  return std::ranges::any_of(object.array_at("metadata", "managedFields"),
                             [](const json::Document& entry) { return entry.string_at("apiVersion") == kV2beta1; });
}

Role role_from(const char* type, const api::KubeflowReplicaSpec& written, int replicas, RestartPolicy policy) {
  return {.type = type,
          .replicas = written.replicas.value_or(replicas),
          .restart_policy = restart_policy_from(written.restart_policy, policy),
          .pod_template = written.template_};
}

void add_mpi_roles(const api::KubeflowMpiJobSpec& spec, bool v2, Job& job) {
  if (const auto written = api::find_role_in(spec.mpi_replica_specs, kLauncherRole);
      written != spec.mpi_replica_specs.end()) {
    Role role = role_from(kLauncherRole, written->second, 1, RestartPolicy::kNever);
    // In v2beta1 the launcher is a batch/v1 Job, which replaces a failed pod whatever its restartPolicy is.
    if (v2) role.restart_policy = RestartPolicy::kOnFailure;
    role.has_index = false;
    role.is_kept = true;
    role.starts_after = kWorkerRole;
    job.roles.push_back(std::move(role));
  }
  if (const auto written = api::find_role_in(spec.mpi_replica_specs, kWorkerRole);
      written != spec.mpi_replica_specs.end()) {
    job.roles.push_back(role_from(kWorkerRole, written->second, 0, RestartPolicy::kNever));
    job.roles.back().only_serves = true;
  }
}

void set_mpi_policy(const api::KubeflowMpiJobSpec& spec, bool v2, Where where, Job& job) {
  api::KubeflowRunPolicy policy = spec.run_policy.value_or(api::KubeflowRunPolicy{});
  if (policy.clean_pod_policy.empty()) policy.clean_pod_policy = spec.clean_pod_policy;
  set_kubeflow_run_policy(policy, where, job);
  if (v2 && !policy.backoff_limit) job.run_policy.backoff_limit = kLauncherBackoffLimit;
  if (where != Where::kCluster && policy.managed_by == "kubeflow.org/mpi-operator") job.managed_elsewhere = false;
}

void set_mpi_names(bool v2, Job& job) {
  set_kubeflow_children("", job);
  job.services = Services::kNone;
  if (!v2) return;
  job.labels.role_key.clear();
  job.services = Services::kSubdomain;
  job.subdomain = job.name;
}

std::string host_in_file(const Job& job, const Role& role, int index) {
  const std::string name = host_name(job, role, index);
  return job.subdomain.empty() ? name : fmt::format("{}.{}.{}.svc", name, job.subdomain, job.ns);
}

void add_hosts(const Job& job, Role& role, std::vector<MpiHost>& hosts) {
  const std::string container = program_container(job, role.pod_template.spec).name;
  for (int i = 0; i < role.replicas; ++i) {
    hosts.push_back({.name = host_in_file(job, role, i), .pod = pod_name(job, role, i), .container = container});
  }
}

bool names_sshd(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) { return word.find("sshd") != std::string::npos; });
}

/// A worker that runs a program of its own keeps it. sshd is not needed, and may not be installed.
void set_kubeflow_worker(api::Container& worker, Job& job) {
  const bool runs_sshd = names_sshd(worker.command) || names_sshd(worker.args);
  if (!runs_sshd && !(worker.command.empty() && worker.args.empty())) return;
  if (runs_sshd) {
    job.notices.push_back({.reason = "NoSshd",
                           .message = "workers do not run sshd: mpirun reaches them through the API; their command is "
                                      "replaced"});
  }
  set_worker(worker);
}

/// On a cluster, a launcher without a command runs the entry point of its image, which cannot be wrapped.
void wrap_launcher(Where where, api::Container& launcher) {
  if (launcher.command.empty() && (where == Where::kCluster || launcher.args.empty())) return;
  launcher.command = launcher_command("", std::move(launcher.command));
}

void mark_role(const char* value, Role& role, api::Container& container) {
  role.pod_template.metadata.labels[api::kKubeflowJobRoleLabel] = value;
  container.env.push_back({.name = "K_MPI_JOB_ROLE", .value = value, .rest = {}});
}

void set_kubeflow_mpi_launch(const api::KubeflowMpiJobSpec& spec, bool v2, Where where, Job& job) {
  const bool hydra = spec.mpi_implementation == "Intel" || spec.mpi_implementation == "MPICH";
  MpiSetup setup{.where = where,
                 .dialect = hydra ? MpiDialect::kHydra : MpiDialect::kOpenMpi,
                 .config_map = job.name + "-config",
                 .hosts = {},
                 .slots = std::max(spec.slots_per_worker.value_or(1), 1)};
  Role& launcher = job.roles.front();
  api::Container& launching = program_container(job, launcher.pod_template.spec);
  const bool launcher_works = spec.run_launcher_as_worker.value_or(false);
  if (launcher_works) add_hosts(job, launcher, setup.hosts);
  launcher.processes = launcher_works ? setup.slots : 0;
  for (auto role = job.roles.begin() + 1; role != job.roles.end(); ++role) {
    api::Container& waiting = program_container(job, role->pod_template.spec);
    add_hosts(job, *role, setup.hosts);
    role->processes = setup.slots;
    set_kubeflow_worker(waiting, job);
    if (v2) mark_role("worker", *role, waiting);
  }
  wrap_launcher(where, launching);
  if (v2) mark_role("launcher", launcher, launching);
  set_launcher(setup, launcher.pod_template.spec, launching);
  job.objects.push_back(mpi_config_map(setup));
  job.launch = CompleteLaunch{};
}

void note_ignored_fields(const api::KubeflowMpiJobSpec& spec, Job& job) {
  if (!spec.ssh_auth_mount_path.empty() && spec.ssh_auth_mount_path != kDefaultSshFolder) {
    note_ignored("spec.sshAuthMountPath", "there are no keys, mpirun reaches the workers through the API", job);
  }
  if (spec.launcher_creation_policy == "AtStartup") {
    note_ignored("spec.launcherCreationPolicy", "the launcher always starts when all workers are running", job);
  }
}

Result<Job> normalise_kubeflow_mpi_job(const json::Document& object, Where where) {
  // A cluster may serve only one of the versions.
  const std::string_view version = object.string_at("apiVersion") == kV2beta1 ? kV2beta1 : kStoredVersion;
  TRY_ASSIGN(const json::Document complete, checked(object, version, kMpiKind));
  TRY_ASSIGN(const auto decoded, reflect::decode<api::KubeflowMpiJob>(complete));
  const bool v2 = is_v2beta1(object, decoded.spec);
  Job job;
  set_identity(object, job);
  set_mpi_policy(decoded.spec, v2, where, job);
  set_mpi_names(v2, job);
  if (!decoded.spec.main_container.empty()) job.training_containers = {decoded.spec.main_container};
  add_mpi_roles(decoded.spec, v2, job);
  follow_scheduling_policy(decoded.spec.run_policy.value_or(api::KubeflowRunPolicy{}), job);
  set_kubeflow_mpi_launch(decoded.spec, v2, where, job);
  job.succeeds_when = {first_replica_rule(job)};
  set_failure_rules(object, RestartUnit::kGang, job);
  job.retryable_exits = RetryableExits::kAbove127;
  job.has_port = false;
  job.events = kubeflow_events(job.kind);
  note_ignored_fields(decoded.spec, job);
  return job;
}

}  // namespace

JobKind kubeflow_mpi_job_kind() {
  return {.api_version = kStoredVersion,
          .kind = kMpiKind,
          .family = JobFamily::kKubeflow,
          .normalise = normalise_kubeflow_mpi_job,
          .read_status = read_kubeflow_status,
          .project = project_kubeflow_status,
          .objects = {JobObject::kConfigMap}};
}

}  // namespace muster::jobs
