#include "jobs/kinds/tensorstack_mpi_job.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "jobs/kinds/mpi.h"
#include "jobs/kinds/tensorstack.h"
#include "reflect/reflect.h"

namespace muster::jobs {

namespace {

constexpr std::string_view kMpiKindName = "MPIJob";
constexpr const char* kLauncher = "launcher";
constexpr const char* kWorker = "worker";

/// The three shapes of the spec, as one.
struct MpiProgram {
  std::vector<std::string> script;
  std::vector<std::string> flags;
  api::StringMap mca;
  std::string home;
};

MpiProgram program_of(const api::TensorStackMpiJobSpec& spec) {
  const api::MpiConfig config = spec.mpi_config.value_or(api::MpiConfig{});
  MpiProgram program{.script = config.script,
                     .flags = config.extra_args,
                     .mca = config.mca.empty() ? spec.mca : config.mca,
                     .home = config.home.empty() ? spec.mpi_home : config.home};
  if (!spec.worker) return program;
  const api::MpiWorkerSpec& worker = *spec.worker;
  if (program.script.empty()) program.script = worker.cmd;
  if (program.flags.empty()) program.flags = worker.extra_mpi_args;
  if (worker.processes_per_worker) {
    program.flags.insert(program.flags.end(), {"-N", std::to_string(*worker.processes_per_worker)});
  }
  if (worker.process_recovery && worker.process_recovery->enable) {
    program.flags.emplace_back("--enable-recovery");
    if (const auto& limit = worker.process_recovery->limit) {
      program.flags.insert(program.flags.end(), {"--max-restarts", std::to_string(*limit)});
    }
  }
  return program;
}

/// Returns the number after the first of these flags; absent when none is given.
std::optional<int> number_after(const std::vector<std::string>& flags, std::initializer_list<std::string_view> names) {
  for (std::size_t i = 0; i + 1 < flags.size(); ++i) {
    if (std::ranges::find(names, flags[i]) == names.end()) continue;
    const auto number = parse_int(flags[i + 1]);
    if (number && *number > 0 && *number <= INT16_MAX) return static_cast<int>(*number);
  }
  return std::nullopt;
}

/// mpirun refuses to start more ranks on a host than it has slots, so the flags decide how many these are.
int slots_of(const std::vector<std::string>& flags, int workers) {
  if (const auto per_host = number_after(flags, {"-N", "-npernode", "--npernode"})) return *per_host;
  const int ranks = number_after(flags, {"-np", "--np", "-n", "-c"}).value_or(workers);
  return (ranks + workers - 1) / workers;
}

std::vector<std::string> mpirun_line(const MpiProgram& program) {
  std::vector<std::string> line = {"mpirun", "--hostfile", "/etc/mpi/hostfile"};
  for (const auto& [name, value] : program.mca) line.insert(line.end(), {"-mca", name, value});
  line.insert(line.end(), program.flags.begin(), program.flags.end());
  line.insert(line.end(), program.script.begin(), program.script.end());
  return line;
}

/// A launcher without a template is like a worker, but needs little: it only starts processes elsewhere.
api::PodTemplateSpec launcher_from(const Job& job, const api::PodTemplateSpec& worker) {
  api::PodTemplateSpec launcher = worker;
  api::Container container = program_container(job, launcher.spec);
  container.name = kLauncher;
  container.ports.clear();
  container.resources = {.requests = {{"cpu", *Quantity::parse("100m")}, {"memory", *Quantity::parse("100Mi")}},
                         .limits = {{"cpu", *Quantity::parse("200m")}, {"memory", *Quantity::parse("200Mi")}},
                         .rest = {}};
  launcher.spec.init_containers.clear();
  launcher.spec.containers = {std::move(container)};
  return launcher;
}

Role launcher_role() {
  return {.type = kLauncher,
          .replicas = 1,
          .pod_template = {},
          .has_index = false,
          .is_kept = true,
          .starts_after = kWorker};
}

/// The launcher comes first, in the status and in lists.
void set_mpi_roles(const api::TensorStackMpiJobSpec& spec, Job& job) {
  Role launcher = launcher_role();
  Role worker{.type = kWorker, .pod_template = {}, .only_serves = true};
  for (const api::TrainingReplicaSpec& written : spec.replica_specs) {
    Role& role = written.type == kLauncher ? launcher : worker;
    role.replicas = written.replicas.value_or(1);
    role.restart_policy = restart_policy_from(written.restart_policy, RestartPolicy::kOnFailure);
    role.pod_template = written.template_;
  }
  if (spec.worker) {
    worker.replicas = spec.worker->replicas.value_or(1);
    worker.pod_template = spec.worker->template_;
  }
  if (launcher.pod_template.spec.containers.empty()) {
    launcher.pod_template = launcher_from(job, worker.pod_template);
  }
  job.roles = {std::move(launcher), std::move(worker)};
}

std::vector<MpiHost> hosts_of(const Job& job, const Role& worker, const std::string& container) {
  std::vector<MpiHost> hosts;
  for (int i = 0; i < worker.replicas; ++i) {
    hosts.push_back({.name = host_name(job, worker, i) + "." + job.subdomain,
                     .pod = pod_name(job, worker, i),
                     .container = container});
  }
  return hosts;
}

void set_mpi_launch(const MpiProgram& program, Where where, Job& job) {
  Role& launcher = job.roles[0];
  Role& worker = job.roles[1];
  api::Container& worker_container = program_container(job, worker.pod_template.spec);
  const MpiSetup setup{.where = where,
                       .dialect = MpiDialect::kOpenMpi,
                       .config_map = job.pod_name_prefix + "config",
                       .hosts = hosts_of(job, worker, worker_container.name),
                       .slots = slots_of(program.flags, worker.replicas)};
  launcher.processes = 0;
  worker.processes = setup.slots;
  set_worker(worker_container);
  api::Container& launcher_container = program_container(job, launcher.pod_template.spec);
  launcher_container.command = launcher_command(program.home, mpirun_line(program));
  launcher_container.args.clear();
  set_launcher(setup, launcher.pod_template.spec, launcher_container);
  job.objects.push_back(mpi_config_map(setup));
  job.launch = CompleteLaunch{};
}

void set_mpi_children(Where where, Job& job) {
  set_tensorstack_children(where, job);
  job.labels.common["mpi-job"] = job.name;
  job.host_name_prefix = job.name + "-";
  job.subdomain = job.name + "-" + kWorker;
  job.services = where == Where::kCluster ? Services::kSubdomain : Services::kNone;
  job.training_containers = {kLauncher, kWorker, "mpi-worker"};
}

Result<Job> normalise_mpi_job(const json::Document& object, Where where) {
  TRY_ASSIGN(const json::Document complete, checked(object, kTensorStackVersion, kMpiKindName));
  TRY_ASSIGN(const auto decoded, reflect::decode<api::TensorStackMpiJob>(complete));
  const api::TensorStackMpiJobSpec& spec = decoded.spec;
  Job job;
  set_identity(object, job);
  set_launcher_run_policy(spec.run_policy.value_or(api::LauncherRunPolicy{}), job);
  set_mpi_children(where, job);
  set_mpi_roles(spec, job);
  if (spec.run_mode) set_tensorstack_run_mode(*spec.run_mode, job);
  set_mpi_launch(program_of(spec), where, job);
  job.succeeds_when = {first_replica_rule(job)};  // the launcher ends as its ranks have ended
  set_failure_rules(object, RestartUnit::kGang, job);
  job.has_port = false;
  job.events = tensorstack_events();
  if (spec.ssh) {
    job.notices.push_back({.reason = "NoSshd",
                           .message = "spec.ssh has no effect: no sshd is needed, mpirun reaches the workers through "
                                      "the API"});
  }
  return job;
}

}  // namespace

JobKind tensorstack_mpi_job_kind() {
  return {.api_version = kTensorStackVersion,
          .kind = kMpiKindName,
          .family = JobFamily::kTensorStack,
          .normalise = normalise_mpi_job,
          .read_status = read_tensorstack_status,
          .project = project_tensorstack_status,
          .objects = {JobObject::kConfigMap}};
}

}  // namespace muster::jobs
