// Rules for the kinds of kubeflow.org that their descriptors cannot express.
#include <fmt/core.h>

#include <algorithm>

#include "api/kubeflow/kubeflow_roles.h"
#include "api/rules/checks.h"
#include "api/rules/job_checks.h"
#include "api/rules/rule_texts.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::api {

namespace {

using reflect::child_path;
using reflect::key_path;

bool is_dns1035_label(std::string_view text) {
  return is_dns_label(text) && 'a' <= text.front() && text.front() <= 'z';
}

void check_name(const json::Document& job, Findings& found) {
  const std::string& name = job.string_at("metadata", "name");
  if (name.empty() || is_dns1035_label(name)) return;
  found.invalid("metadata.name", name,
                name.size() > kMaxPodName ? "must be no more than 63 characters" : kDns1035LabelRule);
}

/// Checks the template, and that one of its containers has the name that the operator expects.
void check_named_container(const json::Document& replica, const std::string& path, std::string_view container,
                           Findings& found) {
  if (!check_template(replica, path, found) || has_container(replica, {container})) return;
  found.required(child_path(path, "template.spec.containers"),
                 fmt::format("must have at least one container with name {}", container));
}

// ---- PyTorchJob ----

constexpr const char* kReplicaSpecs = "spec.pytorchReplicaSpecs";

void check_pytorch_replica(const std::string& role, const std::string& path, const json::Document& replica,
                           Findings& found) {
  const std::int64_t count = int_in(&replica, "replicas").value_or(1);
  if (role == "Master" && count != 1) {
    found.invalid(child_path(path, "replicas"), count, "must be 1, there is one master");
  }
  if (role == "Worker" && count < 1) {
    found.invalid(child_path(path, "replicas"), count, "must be at least 1; omit Worker for none");
  }
  check_named_container(replica, path, "pytorch", found);
}

void check_elastic_policy(const json::Document& spec, Findings& found) {
  const json::Document* elastic = spec.find("elasticPolicy");
  if (elastic == nullptr || !elastic->is_object()) return;
  if (find_role(spec.find("pytorchReplicaSpecs"), "Worker") == nullptr) {
    found.required(key_path(kReplicaSpecs, "Worker"), "must be configured if elastic policy is used");
  }
  const auto low = int_in(elastic, "minReplicas");
  const auto high = int_in(elastic, "maxReplicas");
  if (low && high && *high < *low) {
    found.invalid("spec.elasticPolicy.maxReplicas", *high,
                  fmt::format("must be at least minReplicas, which is {}", *low));
  }
  if (elastic->find("nProcPerNode") != nullptr && !spec.string_at("nprocPerNode").empty()) {
    found.forbidden("spec.elasticPolicy.nProcPerNode", "must not be used with spec.nprocPerNode");
  }
}

/// Checks the replica that has this role, whatever the case in which the path spells it.
using CheckReplica = void (*)(const std::string& role, const std::string& path, const json::Document& replica,
                              Findings& found);

/// Checks that all roles are known and valid, and that the job's name is short enough for the names of its pods.
void check_roles(const json::Document& job, std::string_view list, const std::vector<std::string>& roles,
                 CheckReplica check_replica, Findings& found) {
  check_failure_annotations(job, found);
  const json::Document* replicas = job.at("spec", list);
  if (replicas == nullptr || !replicas->is_object()) return;
  const std::string path = child_path("spec", list);
  ReplicaBudget budget;
  std::vector<std::string> seen;
  for (const auto& [key, replica] : replicas->as_object()) {
    const std::string at = key_path(path, key);
    const std::string* role = role_meant(key, roles);
    if (role == nullptr) {
      found.not_supported(at, key, roles);
      continue;
    }
    if (contains(seen, *role)) found.duplicate(at, key);
    seen.push_back(*role);
    check_replica(*role, at, replica, found);
    budget.add(fmt::format("-{}-", to_lower(key)), int_in(&replica, "replicas").value_or(1));
  }
  budget.check_total(path, found);
  if (job.string_at("metadata", "name").size() <= kMaxPodName) budget.check_name(job, found);
}

/// Rejects a job without any role.
void check_not_empty(const json::Document& job, std::string_view list, std::string_view wanted, Findings& found) {
  const json::Document* replicas = job.at("spec", list);
  if (replicas == nullptr || !replicas->is_object() || !replicas->as_object().empty()) return;
  found.required(child_path("spec", list), wanted);
}

void check_tf_replica(const std::string& role, const std::string& path, const json::Document& replica,
                      Findings& found) {
  const std::int64_t count = int_in(&replica, "replicas").value_or(1);
  if ((role == "Chief" || role == "Master") && count != 1) {
    found.invalid(child_path(path, "replicas"), count, "must be 1, there is one chief");
  }
  check_named_container(replica, path, "tensorflow", found);
}

void check_mpi_replica(const std::string& /*role*/, const std::string& path, const json::Document& replica,
                       Findings& found) {
  check_template(replica, path, found);
}

}  // namespace

void check_pytorch_job(const json::Document& job, Findings& found) {
  check_name(job, found);
  check_not_empty(job, "pytorchReplicaSpecs", "Master or Worker", found);
  check_roles(job, "pytorchReplicaSpecs", {"Master", "Worker"}, &check_pytorch_replica, found);
  if (const json::Document* spec = job.find("spec")) check_elastic_policy(*spec, found);
}

void check_tf_job(const json::Document& job, Findings& found) {
  check_name(job, found);
  check_not_empty(job, "tfReplicaSpecs", "at least one role, such as Worker", found);
  check_roles(job, "tfReplicaSpecs", {"Chief", "Evaluator", "Master", "PS", "Worker"}, &check_tf_replica, found);
}

void check_kubeflow_mpi_job(const json::Document& job, Findings& found) {
  check_name(job, found);
  check_roles(job, "mpiReplicaSpecs", {"Launcher", "Worker"}, &check_mpi_replica, found);
}

}  // namespace muster::api
