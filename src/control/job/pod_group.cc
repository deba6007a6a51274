#include "control/job/pod_group.h"

#include <algorithm>

#include "api/owners.h"
#include "control/plan.h"

namespace muster::control {

namespace {

/// Returns how many pods start together at first; roles that start after others do not count.
int first_gang_size(const Job& job) {
  const auto first = std::ranges::find_if(job.roles, [](const Role& role) { return role.starts_after.empty(); });
  return first == job.roles.end() ? 0 : gang_size(job, *first);
}

}  // namespace

json::Document pod_group_for(const Job& job) {
  api::PodGroup group;
  group.metadata.name = job.group_name;
  group.spec.queue = job.queue;
  group.spec.priority = job.priority;
  group.spec.min_member = first_gang_size(job);
  return create_child(group).object;
}

std::string group_name_for(const Job& job, const api::PodGroup* own, const api::PodGroup* holder) {
  if (own != nullptr) return own->metadata.name;
  if (holder == nullptr) return job.name;
  const api::OwnerReference* owner = api::controller_of(holder->metadata);
  const bool is_predecessors = owner != nullptr && owner->api_version == job.api_version && owner->kind == job.kind;
  return is_predecessors ? job.name : unique_name(job);
}

}  // namespace muster::control
