#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "api/checks.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::api {

namespace {

using reflect::child_path;
using reflect::item_path;

constexpr std::size_t kMaxName = 63;  // a pod's name is also its host name

std::optional<std::int64_t> int_in(const json::Document* object, std::string_view key) {
  const json::Document* found = object == nullptr ? nullptr : object->find(key);
  if (found == nullptr || !reflect::is_whole(*found)) return std::nullopt;
  return reflect::whole_value(*found);
}

bool is_dns1035_label(std::string_view text) {
  return is_dns_label(text) && 'a' <= text.front() && text.front() <= 'z';
}

/// The longest name a replica's pod would get must still be a name. Says by how much the job's is too long.
void check_name_budget(const json::Document& job, const std::string& suffix, std::vector<FieldCause>& causes) {
  const std::string& name = job.string_at("metadata", "name");
  const std::size_t size = name.size() + suffix.size();
  if (name.empty() || size <= kMaxName) return;
  causes.push_back(reflect::invalid_cause(
      "metadata.name", name,
      fmt::format("the pod name {} has {} characters, at most {} are allowed; shorten the job's name by {}",
                  quote(name + suffix), size, kMaxName, size - kMaxName)));
}

/// At least one container, and the rules of any pod. False when there is none to look at.
bool check_template(const json::Document& replica, const std::string& path, std::vector<FieldCause>& causes) {
  const json::Document* spec = replica.at("template", "spec");
  const json::Document* containers = spec == nullptr ? nullptr : spec->find("containers");
  const std::string spec_path = child_path(path, "template.spec");
  if (containers == nullptr || !containers->is_array() || containers->as_array().empty()) {
    causes.push_back(reflect::required_cause(child_path(spec_path, "containers"), "at least one container"));
    return false;
  }
  check_pod_spec(*spec, spec_path, causes);
  return true;
}

// ---- PyTorchTrainingJob ----

void check_role_names(const json::Document& spec, std::initializer_list<std::string_view> where, std::string_view list,
                      const std::vector<std::string>& roles, std::vector<FieldCause>& causes) {
  const json::Document* at = &spec;
  std::string path = "spec";
  for (const std::string_view step : where) {
    at = at->find(step);
    if (at == nullptr) return;
    path = child_path(path, step);
  }
  const json::Document* items = at->find(list);
  if (items == nullptr || !items->is_array()) return;
  for (std::size_t i = 0; i < items->as_array().size(); ++i) {
    const std::string& type = items->as_array()[i].string_at("type");
    if (!type.empty() && std::ranges::find(roles, type) == roles.end()) {
      causes.push_back(
          reflect::not_supported_cause(child_path(item_path(child_path(path, list), i), "type"), type, roles));
    }
  }
}

bool is_enabled(const json::Document* config) {
  return config != nullptr && config->bool_at("enabled");
}

void check_elastic(const json::Document& spec, std::vector<FieldCause>& causes) {
  const json::Document* elastic = spec.find("elastic");
  if (!is_enabled(elastic)) return;
  if (!is_enabled(spec.find("torchrunConfig"))) {
    causes.push_back(reflect::invalid_cause("spec.elastic.enabled", true,
                                            "needs torchrun; set spec.torchrunConfig.enabled to true"));
  }
  const auto low = int_in(elastic, "minReplicas");
  const auto high = int_in(elastic, "maxReplicas");
  const auto expected = int_in(elastic, "expectedReplicas");
  if (!low) causes.push_back(reflect::required_cause("spec.elastic.minReplicas", "the job is elastic"));
  if (!high) causes.push_back(reflect::required_cause("spec.elastic.maxReplicas", "the job is elastic"));
  if (low && high && *high < *low) {
    causes.push_back(reflect::invalid_cause("spec.elastic.maxReplicas", *high,
                                            fmt::format("must be at least minReplicas, which is {}", *low)));
  }
  if (expected && low && *expected < *low) {
    causes.push_back(reflect::invalid_cause("spec.elastic.expectedReplicas", *expected,
                                            fmt::format("must be at least minReplicas, which is {}", *low)));
  }
  if (expected && high && *expected > *high) {
    causes.push_back(reflect::invalid_cause("spec.elastic.expectedReplicas", *expected,
                                            fmt::format("must be at most maxReplicas, which is {}", *high)));
  }
}

}  // namespace

std::vector<FieldCause> check_pytorch_training_job(const json::Document& job) {
  std::vector<FieldCause> causes;
  const json::Document* spec = job.find("spec");
  const json::Document* replicas = spec == nullptr ? nullptr : spec->find("replicaSpecs");
  if (replicas == nullptr || !replicas->is_array()) return causes;
  const json::Document* elastic = spec->find("elastic");
  const std::int64_t elastic_max = is_enabled(elastic) ? int_in(elastic, "maxReplicas").value_or(0) : 0;

  std::vector<std::string> roles;
  std::string longest_suffix;
  for (std::size_t i = 0; i < replicas->as_array().size(); ++i) {
    const json::Document& replica = replicas->as_array()[i];
    const std::string& type = replica.string_at("type");
    roles.push_back(type);
    check_template(replica, item_path("spec.replicaSpecs", i), causes);
    const std::int64_t count = std::max(int_in(&replica, "replicas").value_or(1), elastic_max);
    std::string suffix = fmt::format("-00000-{}-{}", type, std::max<std::int64_t>(count - 1, 0));
    if (suffix.size() > longest_suffix.size()) longest_suffix = std::move(suffix);
  }
  check_name_budget(job, longest_suffix, causes);
  check_elastic(*spec, causes);
  check_role_names(*spec, {"runMode", "debug"}, "replicaSpecs", roles, causes);
  check_role_names(*spec, {"runMode", "pause"}, "resumeSpecs", roles, causes);
  return causes;
}

// ---- PyTorchJob ----

namespace {

constexpr const char* kPyTorchContainer = "pytorch";
constexpr const char* kReplicaSpecs = "spec.pytorchReplicaSpecs";

void check_pytorch_replica(const std::string& role, const json::Document& replica, std::vector<FieldCause>& causes) {
  const std::string path = child_path(kReplicaSpecs, role);
  const std::int64_t count = int_in(&replica, "replicas").value_or(1);
  if (role == "Master" && count != 1) {
    causes.push_back(reflect::invalid_cause(child_path(path, "replicas"), count, "must be 1, there is one master"));
  }
  if (role == "Worker" && count < 1) {
    const std::string field = child_path(path, "replicas");
    causes.push_back(
        reflect::invalid_cause(field, count, fmt::format("{} in body should be greater than or equal to 1", field)));
  }
  if (!check_template(replica, path, causes)) return;
  const json::Array& containers = replica.at("template", "spec", "containers")->as_array();
  if (std::ranges::none_of(containers, [](const auto& c) { return c.string_at("name") == kPyTorchContainer; })) {
    causes.push_back(reflect::required_cause(child_path(path, "template.spec.containers"),
                                             "must have at least one container with name pytorch"));
  }
}

void check_elastic_policy(const json::Document& spec, std::vector<FieldCause>& causes) {
  const json::Document* elastic = spec.find("elasticPolicy");
  if (elastic == nullptr || !elastic->is_object()) return;
  if (spec.at("pytorchReplicaSpecs", "Worker") == nullptr) {
    causes.push_back(
        reflect::required_cause(child_path(kReplicaSpecs, "Worker"), "must be configured if elastic policy is used"));
  }
  const auto low = int_in(elastic, "minReplicas");
  const auto high = int_in(elastic, "maxReplicas");
  if (low && high && *high < *low) {
    causes.push_back(reflect::invalid_cause("spec.elasticPolicy.maxReplicas", *high,
                                            fmt::format("must be at least minReplicas, which is {}", *low)));
  }
  if (elastic->find("nProcPerNode") != nullptr && !spec.string_at("nprocPerNode").empty()) {
    causes.push_back({.reason = "FieldValueForbidden",
                      .message = "Forbidden: must not be used with spec.nprocPerNode",
                      .field = "spec.elasticPolicy.nProcPerNode"});
  }
}

}  // namespace

std::vector<FieldCause> check_pytorch_job(const json::Document& job) {
  static const std::vector<std::string> kRoles = {"Master", "Worker"};
  std::vector<FieldCause> causes;
  const std::string& name = job.string_at("metadata", "name");
  if (!name.empty() && !is_dns1035_label(name)) {
    causes.push_back(reflect::invalid_cause(
        "metadata.name", name, name.size() > kMaxName ? "must be no more than 63 characters" : kDns1035LabelRule));
  }
  const json::Document* spec = job.find("spec");
  const json::Document* replicas = spec == nullptr ? nullptr : spec->find("pytorchReplicaSpecs");
  if (replicas == nullptr || !replicas->is_object()) return causes;
  if (replicas->as_object().empty()) causes.push_back(reflect::required_cause(kReplicaSpecs, "Master or Worker"));

  std::string longest_suffix;
  for (const auto& [role, replica] : replicas->as_object()) {
    if (std::ranges::find(kRoles, role) == kRoles.end()) {
      causes.push_back(reflect::not_supported_cause(child_path(kReplicaSpecs, role), role, kRoles));
      continue;
    }
    check_pytorch_replica(role, replica, causes);
    const std::int64_t count = int_in(&replica, "replicas").value_or(1);
    std::string suffix = fmt::format("-{}-{}", to_lower(role), std::max<std::int64_t>(count - 1, 0));
    if (suffix.size() > longest_suffix.size()) longest_suffix = std::move(suffix);
  }
  if (name.size() <= kMaxName) check_name_budget(job, longest_suffix, causes);
  check_elastic_policy(*spec, causes);
  return causes;
}

}  // namespace muster::api
