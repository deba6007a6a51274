#include "api/rules/job_warnings.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

#include "api/kubeflow/kubeflow_roles.h"
#include "reflect/causes.h"

namespace muster::api {

namespace {

using reflect::child_path;
using reflect::item_path;

using Warnings = std::vector<std::string>;

const json::Array& roles_of(const json::Document& job) {
  return job.array_at("spec", "replicaSpecs");
}

/// Returns the index in `roles` of the first of `types` that is a role; roles.size() when there is none.
std::size_t first_of(const json::Array& roles, std::initializer_list<std::string_view> types) {
  for (const std::string_view type : types) {
    for (std::size_t i = 0; i < roles.size(); ++i) {
      if (roles[i].string_at("type") == type) return i;
    }
  }
  return roles.size();
}

void warn_if_it_never_ends(const json::Document& replica, const std::string& path, Warnings& warnings) {
  if (replica.string_at("restartPolicy") != "Always") return;
  warnings.push_back(fmt::format(
      "{}: Always restarts the deciding replica even after it succeeds, so the job never ends; use OnFailure",
      child_path(path, "restartPolicy")));
}

void warn_of_decider(const json::Array& roles, std::size_t decider, Warnings& warnings) {
  if (decider < roles.size()) warn_if_it_never_ends(roles[decider], item_path("spec.replicaSpecs", decider), warnings);
}

/// A single container is used whatever its name, which would surprise a user who adds a second one later.
void warn_of_name(const json::Document& replica, const std::string& path, std::string_view wanted,
                  std::initializer_list<std::string_view> others, Warnings& warnings) {
  const json::Array& containers = replica.array_at("template", "spec", "containers");
  if (containers.size() != 1) return;
  const std::string& name = containers[0].string_at("name");
  if (name == wanted || std::ranges::find(others, name) != others.end()) return;
  warnings.push_back(fmt::format("{}: should be {}; a single container is accepted under any name",
                                 child_path(path, "template.spec.containers[0].name"), wanted));
}

void warn_of_names(const json::Array& roles, std::string_view wanted, Warnings& warnings) {
  for (std::size_t i = 0; i < roles.size(); ++i) {
    warn_of_name(roles[i], item_path("spec.replicaSpecs", i), wanted, {}, warnings);
  }
}

/// mpirun starts the processes of a worker, whose container only waits for them.
void warn_of_mpi_worker(const json::Document& worker, const std::string& path, std::string_view program,
                        Warnings& warnings) {
  warn_of_name(worker, path, "worker", {"mpi-worker"}, warnings);
  const json::Array& containers = worker.array_at("template", "spec", "containers");
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const std::string& name = containers[i].string_at("name");
    if (containers.size() > 1 && name != "worker" && name != "mpi-worker") continue;
    for (const char* list : {"command", "args"}) {
      if (containers[i].array_at(list).empty()) continue;
      warnings.push_back(fmt::format("{}: ignored, workers wait for mpirun; the program is in {}",
                                     child_path(item_path(child_path(path, "template.spec.containers"), i), list),
                                     program));
    }
  }
}

/// Other tools, and `kubectl scale`, know a role only by its own name.
void warn_of_spelling(const json::Document& job, std::string_view list, const std::vector<std::string>& roles,
                      Warnings& warnings) {
  const json::Document* replicas = job.at("spec", list);
  if (replicas == nullptr || !replicas->is_object()) return;
  for (const json::Member& member : replicas->as_object()) {
    const std::string* role = role_meant(member.key, roles);
    if (role == nullptr || *role == member.key) continue;
    warnings.push_back(fmt::format("{}: read as the role {}; write {}",
                                   reflect::key_path(child_path("spec", list), member.key), *role, *role));
  }
}

/// For a Kubeflow job with these roles: the first of `deciders` that it has decides the outcome.
Warnings warn_kubeflow_job(const json::Document& job, std::string_view list, const std::vector<std::string>& roles,
                           std::initializer_list<std::string_view> deciders) {
  Warnings warnings;
  warn_of_spelling(job, list, roles, warnings);
  for (const std::string_view role : deciders) {
    const json::Document* replica = find_role(job.at("spec", list), role);
    if (replica == nullptr) continue;
    warn_if_it_never_ends(*replica, reflect::key_path(child_path("spec", list), role), warnings);
    break;
  }
  return warnings;
}

}  // namespace

Warnings warn_pytorch_training_job(const json::Document& job) {
  Warnings warnings;
  warn_of_decider(roles_of(job), 0, warnings);
  return warnings;
}

Warnings warn_tensorflow_training_job(const json::Document& job) {
  Warnings warnings;
  const json::Array& roles = roles_of(job);
  warn_of_decider(roles, first_of(roles, {"chief", "worker"}), warnings);
  warn_of_names(roles, "tensorflow", warnings);
  return warnings;
}

Warnings warn_xgboost_training_job(const json::Document& job) {
  Warnings warnings;
  const json::Array& roles = roles_of(job);
  warn_of_decider(roles, first_of(roles, {"master"}), warnings);
  warn_of_names(roles, "xgboost", warnings);
  return warnings;
}

Warnings warn_tensorstack_mpi_job(const json::Document& job) {
  Warnings warnings;
  const json::Array& roles = roles_of(job);
  warn_of_decider(roles, first_of(roles, {"launcher"}), warnings);
  if (const std::size_t at = first_of(roles, {"worker"}); at < roles.size()) {
    warn_of_mpi_worker(roles[at], item_path("spec.replicaSpecs", at), "spec.mpiConfig.script", warnings);
  }
  if (const json::Document* worker = job.at("spec", "worker")) {
    warn_of_mpi_worker(*worker, "spec.worker", "spec.worker.cmd", warnings);
  }
  return warnings;
}

Warnings warn_generic_job(const json::Document& job) {
  Warnings warnings;
  const json::Array& roles = roles_of(job);
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const json::Document* policy = roles[i].find("restartPolicy");
    if (policy == nullptr || policy->string_at("policy") != "OnFailure" || policy->int_at("limit") != 0) continue;
    warnings.push_back(
        fmt::format("{}.restartPolicy.limit: OnFailure with the limit 0 never restarts; set the "
                    "limit, or use Never",
                    item_path("spec.replicaSpecs", i)));
  }
  return warnings;
}

Warnings warn_pytorch_job(const json::Document& job) {
  return warn_kubeflow_job(job, "pytorchReplicaSpecs", {"Master", "Worker"}, {"Master", "Worker"});
}

Warnings warn_tf_job(const json::Document& job) {
  return warn_kubeflow_job(job, "tfReplicaSpecs", {"Chief", "Evaluator", "Master", "PS", "Worker"},
                           {"Chief", "Master", "Worker"});
}

Warnings warn_kubeflow_mpi_job(const json::Document& job) {
  return warn_kubeflow_job(job, "mpiReplicaSpecs", {"Launcher", "Worker"}, {"Launcher"});
}

Warnings warn_notebook(const json::Document& notebook) {
  const json::Document* ssh = notebook.at("spec", "ssh");
  if (ssh == nullptr || !ssh->is_object() || ssh->as_object().empty()) return {};
  const json::Document* enabled = ssh->find("enabled");
  if (enabled != nullptr && enabled->is_bool() && !enabled->as_bool()) return {};
  return {"spec.ssh has no effect: notebooks run no sshd; use the terminals of JupyterLab"};
}

}  // namespace muster::api
