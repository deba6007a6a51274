#include "jobs/kinds/mpi.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/check.h"

namespace muster::jobs {

namespace {

constexpr const char* kConfigFolder = "/etc/mpi";
constexpr const char* kConfigVolume = "mpi-job-config";
constexpr const char* kRsh = "/run/muster/bin/muster-rsh";

using Env = std::vector<api::EnvVar>;

Env open_mpi_env(Where where) {
  Env env = {
      {.name = "OMPI_MCA_plm_rsh_agent", .value = kRsh, .rest = {}},
      // Only the launcher starts daemons: workers need no access to the API.
      {.name = "OMPI_MCA_plm_rsh_no_tree_spawn", .value = "1", .rest = {}},
      {.name = "OMPI_MCA_orte_default_hostfile", .value = fmt::format("{}/hostfile", kConfigFolder), .rest = {}},
      {.name = "OMPI_MCA_orte_keep_fqdn_hostnames", .value = "true", .rest = {}},
      {.name = "OMPI_ALLOW_RUN_AS_ROOT", .value = "1", .rest = {}},
      {.name = "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", .value = "1", .rest = {}},
  };
  if (where == Where::kCluster) return env;
  // The pods of one machine share its network and its cores. Each daemon believes that it has the machine for itself:
  // it would bind its first rank to the first core, and let idle ranks spin on cores that others need.
  for (const auto& [name, value] :
       {std::pair{"oob_tcp_if_include", "lo"}, std::pair{"btl_tcp_if_include", "lo"},
        std::pair{"hwloc_base_binding_policy", "none"}, std::pair{"mpi_yield_when_idle", "1"}}) {
    env.push_back({.name = std::string("OMPI_MCA_") + name, .value = value, .rest = {}});
  }
  return env;
}

Env hydra_env() {
  const std::string hostfile = fmt::format("{}/hostfile", kConfigFolder);
  return {{.name = "I_MPI_HYDRA_HOST_FILE", .value = hostfile, .rest = {}},
          {.name = "I_MPI_HYDRA_BOOTSTRAP", .value = "rsh", .rest = {}},
          {.name = "I_MPI_HYDRA_BOOTSTRAP_EXEC", .value = kRsh, .rest = {}},
          {.name = "HYDRA_HOST_FILE", .value = hostfile, .rest = {}},
          {.name = "HYDRA_LAUNCHER", .value = "rsh", .rest = {}},
          {.name = "HYDRA_LAUNCHER_EXEC", .value = kRsh, .rest = {}}};
}

/// Returns a variable with the value of a field of the pod.
api::EnvVar field_variable(const char* name, const char* path) {
  return {.name = name,
          .value = {},
          .rest = json::Object{{"valueFrom", json::Object{{"fieldRef", json::Object{{"fieldPath", path}}}}}}};
}

/// The template's own values win.
void add_missing(Env added, Env& env) {
  Env result;
  for (auto& entry : added) {
    if (std::ranges::find(env, entry.name, &api::EnvVar::name) == env.end()) result.push_back(std::move(entry));
  }
  result.insert(result.end(), std::make_move_iterator(env.begin()), std::make_move_iterator(env.end()));
  env = std::move(result);
}

std::string host_line(const MpiSetup& setup, const MpiHost& host) {
  return setup.dialect == MpiDialect::kOpenMpi ? fmt::format("{} slots={}\n", host.name, setup.slots)
                                               : fmt::format("{}:{}\n", host.name, setup.slots);
}

}  // namespace

std::vector<std::string> launcher_command(const std::string& home, std::vector<std::string> command) {
  std::vector<std::string> line = {"/run/muster/bin/muster-mpirun"};
  if (!home.empty()) line.insert(line.end(), {"--home", home});
  line.insert(line.end(), std::make_move_iterator(command.begin()), std::make_move_iterator(command.end()));
  return line;
}

void set_launcher(const MpiSetup& setup, api::PodSpec& spec, api::Container& launcher) {
  add_missing(setup.dialect == MpiDialect::kOpenMpi ? open_mpi_env(setup.where) : hydra_env(), launcher.env);
  // Ranks report their ends to the address; events are about the pod.
  add_missing({field_variable("MUSTER_POD_IP", "status.podIP"), field_variable("MUSTER_POD_NAME", "metadata.name"),
               field_variable("MUSTER_POD_UID", "metadata.uid")},
              launcher.env);
  launcher.volume_mounts.push_back(
      {.name = kConfigVolume, .mount_path = kConfigFolder, .sub_path = {}, .read_only = true, .rest = {}});
  spec.volumes.push_back({.name = kConfigVolume,
                          .persistent_volume_claim = {},
                          .empty_dir = {},
                          .host_path = {},
                          .rest = json::Object{{"configMap", json::Object{{"name", setup.config_map}}}}});
  // muster-rsh enters the workers with the token of the launcher.
  spec.rest["automountServiceAccountToken"] = true;
}

void set_worker(api::Container& worker) {
  worker.command = {"sleep", "infinity"};
  worker.args.clear();
}

json::Document mpi_config_map(const MpiSetup& setup) {
  std::string hostfile;
  std::string pods;
  for (const MpiHost& host : setup.hosts) {
    hostfile += host_line(setup, host);
    pods += fmt::format("{} {} {}\n", host.name, host.pod, host.container);
  }
  return json::Object{{"apiVersion", "v1"},
                      {"kind", "ConfigMap"},
                      {"metadata", json::Object{{"name", setup.config_map}}},
                      {"data", json::Object{{"hostfile", hostfile}, {"pods", pods}}}};
}

api::Container& program_container(const Job& job, api::PodSpec& spec) {
  const api::Container* chosen = training_container(job, spec);
  CHECK(chosen != nullptr);
  return spec.containers[static_cast<std::size_t>(chosen - spec.containers.data())];
}

}  // namespace muster::jobs
