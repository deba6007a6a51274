#include "jobs/pods.h"

#include <algorithm>

#include "api/muster/names.h"
#include "base/strings.h"

namespace muster::jobs {

namespace {

const std::string& label_of(const json::Document& pod, std::initializer_list<const char*> keys) {
  static const std::string kNone;
  for (const char* key : keys) {
    if (const std::string& value = pod.string_at("metadata", "labels", key); !value.empty()) return value;
  }
  return kNone;
}

/// All kinds of a group use the same label for their pods.
std::string pod_label_of(std::string_view group) {
  const auto kinds = api::resources();
  const auto found =
      std::ranges::find_if(kinds, [&](const api::Resource& r) { return r.group == group && !r.pod_label.empty(); });
  return found == kinds.end() ? std::string() : found->pod_label;
}

}  // namespace

bool is_job_group(std::string_view group) {
  return !pod_label_of(group).empty();
}

std::string pod_selector(std::string_view group, const std::string& job_name) {
  return pod_label_of(group) + "=" + job_name;
}

std::string replica_label(const json::Document& pod, const std::string& job_name) {
  const std::string& role = label_of(pod, {api::kReplicaTypeLabel, api::kKubeflowReplicaTypeLabel});
  const std::string& index = label_of(pod, {api::kReplicaIndexLabel, api::kKubeflowReplicaIndexLabel});
  if (!role.empty() && !index.empty()) return role + "-" + index;
  const std::string& name = pod.string_at("metadata", "name");
  const std::string prefix = job_name + "-";
  const bool shortened = !job_name.empty() && name.starts_with(prefix) && name.size() > prefix.size();
  return shortened ? name.substr(prefix.size()) : name;
}

ReplicaPlace replica_place(const json::Document& pod) {
  const std::string& role =
      label_of(pod, {api::kReplicaTypeLabel, api::kKubeflowReplicaTypeLabel, api::kKubeflowJobRoleLabel,
                     "mpi_role_type", "replica-type", "tf-replica-type", "pytorch-replica-type"});
  const std::string& index = label_of(pod, {api::kReplicaIndexLabel, api::kKubeflowReplicaIndexLabel});
  return {.role = to_lower(role), .index = parse_int(index).value_or(0)};
}

}  // namespace muster::jobs
