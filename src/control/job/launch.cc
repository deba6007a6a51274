// Gives the programs of a job their identity and the address at which they meet.
#include <fmt/core.h>

#include <algorithm>

#include "base/overloaded.h"
#include "base/strings.h"
#include "control/job/decision.h"
#include "control/job/launch_parts.h"

namespace muster::control {

namespace {

using Env = std::vector<api::EnvVar>;

void add(Env& env, std::string name, std::string value) {
  env.push_back({.name = std::move(name), .value = std::move(value), .rest = {}});
}

/// Returns the name of the first replica's pod, which resolves inside every pod of the job.
std::string master_address(const Job& job) {
  const auto first = std::ranges::find_if(job.roles, [](const Role& role) { return role.replicas > 0; });
  return first == job.roles.end() ? std::string() : pod_name(job, *first, 0);
}

Env plain_env(const Job& job, const Replica& replica, int port) {
  Env env;
  add(env, "MASTER_ADDR", master_address(job));
  add(env, "MASTER_PORT", std::to_string(port));
  add(env, "RANK", std::to_string(replica.rank));
  add(env, "WORLD_SIZE", std::to_string(total_replicas(job)));
  return env;
}

/// torchrun numbers the processes itself; the pod's RANK and WORLD_SIZE would contradict it.
Env torchrun_env(const Job& job, int port) {
  Env env;
  add(env, "MASTER_ADDR", master_address(job));
  add(env, "MASTER_PORT", std::to_string(port));
  return env;
}

void add_elastic_env(const Job& job, const KubeflowLaunch::Elastic& elastic, int port, Env& env) {
  const auto worker = std::ranges::find(job.roles, "worker", [](const Role& r) { return to_lower(r.type); });
  const Role& host_role = worker == job.roles.end() ? job.roles.front() : *worker;
  const std::string host = elastic.rdzv_host.empty() ? pod_name(job, host_role, 0) : elastic.rdzv_host;
  add(env, "PET_RDZV_ENDPOINT", fmt::format("{}:{}", host, elastic.rdzv_port.value_or(port)));
  add(env, "PET_RDZV_BACKEND", elastic.rdzv_backend);
  add(env, "PET_NNODES", elastic.nnodes);
  if (elastic.max_restarts) add(env, "PET_MAX_RESTARTS", std::to_string(*elastic.max_restarts));
  if (!elastic.rdzv_id.empty()) add(env, "PET_RDZV_ID", elastic.rdzv_id);
  if (!elastic.rdzv_conf.empty()) add(env, "PET_RDZV_CONF", elastic.rdzv_conf);
  if (elastic.standalone) add(env, "PET_STANDALONE", "");
}

Env kubeflow_env(const Job& job, const KubeflowLaunch& launch, const Replica& replica, int port) {
  Env env;
  const std::int64_t nodes = total_replicas(job);
  if (launch.has_master) {
    const std::string port_text = std::to_string(port);
    const std::int64_t per_node = parse_int(launch.nproc_per_node).value_or(1);
    add(env, "MASTER_PORT", port_text);
    add(env, "PET_MASTER_PORT", port_text);
    add(env, "MASTER_ADDR", master_address(job));
    add(env, "PET_MASTER_ADDR", master_address(job));
    add(env, "WORLD_SIZE", std::to_string(nodes * per_node));
    add(env, "RANK", std::to_string(replica.rank));
    add(env, "PET_NODE_RANK", std::to_string(replica.rank));
  }
  if (!launch.nproc_per_node.empty()) add(env, "PET_NPROC_PER_NODE", launch.nproc_per_node);
  if (launch.elastic) {
    add_elastic_env(job, *launch.elastic, port, env);
  } else {
    add(env, "PET_NNODES", std::to_string(nodes));
  }
  return env;
}

Env tf_env(const Job& job, const TfConfigLaunch& launch, const Replica& replica, int port) {
  Env env;
  if (total_replicas(job) > 1 || launch.describes_one) add(env, "TF_CONFIG", tf_config(job, launch, replica, port));
  return env;
}

/// Our variables come first, so that the user's values can refer to them as $(MASTER_ADDR). The user's entries with the
/// same names are removed, because a rank with two addresses cannot work.
void set_env(const Env& ours, api::Container& container) {
  Env env = ours;
  for (auto& entry : container.env) {
    if (std::ranges::find(ours, entry.name, &api::EnvVar::name) == ours.end()) env.push_back(std::move(entry));
  }
  // Without this, Python buffers its output, and the user does not see the progress of training.
  if (std::ranges::find(env, "PYTHONUNBUFFERED", &api::EnvVar::name) == env.end()) add(env, "PYTHONUNBUFFERED", "1");
  container.env = std::move(env);
}

/// torchrun by the name of its module: the `torchrun` that PATH finds may belong to another Python, which does not see
/// the packages of this one. Options are spelled with underscores, which every version accepts; those before 2.0 accept
/// nothing else.
std::vector<std::string> torchrun_command(const Job& job, const TorchrunLaunch& launch, const Replica& replica,
                                          int port) {
  std::vector<std::string> command = {"python",
                                      "-m",
                                      "torch.distributed.run",
                                      "--nnodes",
                                      launch.nnodes,
                                      "--nproc_per_node",
                                      launch.proc_per_node,
                                      "--rdzv_backend",
                                      launch.rdzv_backend,
                                      "--rdzv_endpoint",
                                      fmt::format("{}:{}", master_address(job), port),
                                      "--rdzv_id",
                                      job.uid,
                                      "--max_restarts",
                                      std::to_string(launch.max_restarts),
                                      "--role",
                                      replica.role->type};
  command.insert(command.end(), launch.extra_options.begin(), launch.extra_options.end());
  return command;
}

void apply_override(const TemplateOverride& change, api::PodSpec& spec, api::Container& training) {
  if (change.skip_init_containers) spec.init_containers.clear();
  if (change.command) training.command = *change.command;
  if (change.args) training.args = *change.args;
}

Env env_for(const Job& job, const Replica& replica, int port) {
  return std::visit(Overloaded{
                        [&](const PlainLaunch&) { return plain_env(job, replica, port); },
                        [&](const TorchrunLaunch&) { return torchrun_env(job, port); },
                        [&](const KubeflowLaunch& launch) { return kubeflow_env(job, launch, replica, port); },
                        [&](const TfConfigLaunch& launch) { return tf_env(job, launch, replica, port); },
                        [](const GenericLaunch&) { return Env{}; },
                        [](const CompleteLaunch&) { return Env{}; },
                    },
                    job.launch);
}

/// TensorFlow takes TF_CONFIG as the order to join the cluster, which the other containers of a pod must not do.
bool concerns_every_container(const Launch& launch) {
  return !std::holds_alternative<TfConfigLaunch>(launch);
}

/// Declares the port that the replica listens on.
void set_port(const Job& job, int port, api::Container& container) {
  if (job.port_name.empty()) return;
  const auto declared = std::ranges::find(container.ports, job.port_name, &api::ContainerPort::name);
  if (declared != container.ports.end()) {
    declared->container_port = port;
  } else {
    container.ports.push_back({.name = job.port_name, .container_port = port, .rest = {}});
  }
}

}  // namespace

bool first_hosts_rendezvous(const Job& job) {
  if (job.run_mode.debug) return false;
  return std::visit(Overloaded{
                        [&](const PlainLaunch&) { return job.restart_unit == RestartUnit::kGang; },
                        [](const TorchrunLaunch&) { return true; },
                        [](const KubeflowLaunch& launch) { return launch.has_master || launch.elastic.has_value(); },
                        [](const TfConfigLaunch&) { return false; },
                        [](const GenericLaunch&) { return false; },
                        [](const CompleteLaunch&) { return false; },
                    },
                    job.launch);
}

void set_launch(const Job& job, const Replica& replica, int port, bool resumed, api::PodSpec& spec) {
  const Env env = env_for(job, replica, port);
  const api::Container* chosen = training_container(job, spec);
  for (auto& container : spec.containers) {
    set_env(&container == chosen || concerns_every_container(job.launch) ? env : Env{}, container);
  }
  if (chosen == nullptr) return;
  api::Container& training = spec.containers[static_cast<std::size_t>(chosen - spec.containers.data())];
  set_port(job, replica_port(job, *replica.role, replica.index, port), training);

  if (resumed) {
    const auto change = job.run_mode.resuming.find(replica.role->type);
    if (change != job.run_mode.resuming.end()) apply_override(change->second, spec, training);
  }
  if (job.run_mode.debug) {
    const auto change = job.run_mode.debugging.find(replica.role->type);
    if (change != job.run_mode.debugging.end()) apply_override(change->second, spec, training);
  } else if (const auto* torchrun = std::get_if<TorchrunLaunch>(&job.launch)) {
    training.command = torchrun_command(job, *torchrun, replica, port);
  }
  if (std::holds_alternative<GenericLaunch>(job.launch)) replace_variables(job, replica, port, spec);
}

}  // namespace muster::control
