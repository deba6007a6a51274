#include "control/scheduler/ledger.h"

#include <algorithm>

#include "api/muster/names.h"
#include "api/muster/sweep_names.h"
#include "api/owners.h"
#include "base/strings.h"
#include "control/observe.h"
#include "control/scheduler/requests.h"

namespace muster::control {

namespace {

bool wants_a_node(const api::Pod& pod) {
  if (!pod.spec.node_name.empty() || is_finished_pod(pod) || is_terminating(pod)) return false;
  return pod.spec.rest.array_at("schedulingGates").empty();
}

/// A pod that is being deleted holds its resources until it is gone.
bool holds_resources(const api::Pod& pod) {
  return !pod.spec.node_name.empty() && !is_finished_pod(pod);
}

std::string label_of(const api::Pod& pod, const char* key) {
  const auto found = pod.metadata.labels.find(key);
  return found == pod.metadata.labels.end() ? std::string() : found->second;
}

/// Returns how many gangs of the pod's sweep may run at once; 0 for a number that cannot be read.
std::size_t parallel_of(const api::Pod& pod) {
  const auto found = pod.metadata.annotations.find(api::kParallelAnnotation);
  if (found == pod.metadata.annotations.end()) return 0;
  return static_cast<std::size_t>(std::max<std::int64_t>(parse_int(found->second).value_or(0), 0));
}

std::int32_t& count_of(PodCounts& counts, const std::string& phase) {
  if (phase == "Running") return counts.running;
  if (phase == "Succeeded") return counts.succeeded;
  if (phase == "Failed") return counts.failed;
  return phase.empty() || phase == "Pending" ? counts.pending : counts.unknown;
}

Gang new_gang(const std::string& id, const api::Pod& pod) {
  const auto* owner = api::controller_of(pod.metadata);
  const std::string group = label_of(pod, api::kGroupNameLabel);
  const std::string own_name = group.empty() ? pod.metadata.name : group;
  return {.id = id,
          .ns = pod.metadata.ns,
          .group = group,
          .name = pod.metadata.ns + "/" + (owner == nullptr ? own_name : owner->name),
          .queue = label_of(pod, api::kQueueLabel),
          .controller_uid = owner == nullptr ? "" : owner->uid,
          .sweep = label_of(pod, api::kSweepLabel),
          .parallel = parallel_of(pod),
          .waiting = {},
          .roles = {},
          .counts = {},
          .held = {}};
}

void count(Gang& gang, const api::Pod& pod, int change) {
  if (is_terminating(pod)) return;
  gang.present += static_cast<std::size_t>(change);
  count_of(gang.counts, pod.status.phase) += change;
  gang.roles[label_of(pod, api::kGroupRoleLabel)] += static_cast<std::size_t>(change);
}

}  // namespace

void Ledger::note_pod(const Key& key, PodPtr pod) {
  remove(key);
  if (pod != nullptr) add(key, std::move(pod));
}

void Ledger::note_group(const Key& key, PodGroupPtr group) {
  changed_groups_.insert(key);
  if (group == nullptr) {
    groups_.erase(key);
  } else {
    groups_[key] = std::move(group);
  }
}

void Ledger::add(const Key& key, PodPtr pod) {
  const std::string id = api::gang_of(pod->metadata);
  Gang& gang = gangs_.try_emplace(id, new_gang(id, *pod)).first->second;
  ++gang.entries;
  count(gang, *pod, 1);
  if (!gang.group.empty()) {
    by_group_[{gang.ns, gang.group}].insert(id);
    changed_groups_.insert({gang.ns, gang.group});
  }
  Entry& entry = pods_[key];
  entry = {.pod = pod, .gang = id, .taken = {}};
  if (holds_resources(*pod)) {
    entry.taken = taken_by(*pod);
    hold(key, entry, gang);
  } else if (wants_a_node(*pod)) {
    gang.waiting[key.second] = std::move(pod);
    waiting_.insert(id);
  }
}

void Ledger::remove(const Key& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  const Entry entry = std::move(found->second);
  pods_.erase(found);
  Gang& gang = gangs_.at(entry.gang);
  const Key group{gang.ns, gang.group};
  if (!gang.group.empty()) changed_groups_.insert(group);
  count(gang, *entry.pod, -1);
  if (!entry.taken.empty()) release(key, entry, gang);
  if (gang.waiting.erase(key.second) > 0 && gang.waiting.empty()) waiting_.erase(gang.id);
  if (--gang.entries > 0) return;
  if (!gang.group.empty()) {
    by_group_[group].erase(gang.id);
    if (by_group_[group].empty()) by_group_.erase(group);
  }
  gangs_.erase(entry.gang);
}

void Ledger::hold(const Key& key, const Entry& entry, Gang& gang) {
  add_to(gang.held, entry.taken);
  ++gang.holders;
  holding_.insert(gang.id);
  OnNode& node = on_nodes_[entry.pod->spec.node_name];
  add_to(node.taken, entry.taken);
  node.pods.insert(key);
}

void Ledger::release(const Key& key, const Entry& entry, Gang& gang) {
  take_from(gang.held, entry.taken);
  if (--gang.holders == 0) {
    gang.held.clear();
    holding_.erase(gang.id);
  }
  OnNode& node = on_nodes_.at(entry.pod->spec.node_name);
  take_from(node.taken, entry.taken);
  node.pods.erase(key);
  if (node.pods.empty()) on_nodes_.erase(entry.pod->spec.node_name);
}

std::vector<const Gang*> Ledger::waiting() const {
  std::vector<const Gang*> result;
  for (const std::string& id : waiting_) result.push_back(&gangs_.at(id));
  return result;
}

std::vector<const Gang*> Ledger::holding() const {
  std::vector<const Gang*> result;
  for (const std::string& id : holding_) result.push_back(&gangs_.at(id));
  return result;
}

std::vector<const Gang*> Ledger::gangs_of(const api::PodGroup& group) const {
  std::vector<const Gang*> result;
  const auto ids = by_group_.find({group.metadata.ns, group.metadata.name});
  if (ids == by_group_.end()) return result;
  const auto* owner = api::controller_of(group.metadata);
  for (const std::string& id : ids->second) {
    const Gang& gang = gangs_.at(id);
    if (owner == nullptr || owner->uid == gang.controller_uid) result.push_back(&gang);
  }
  return result;
}

const api::PodGroup* Ledger::group_of(const Gang& gang) const {
  const auto found = gang.group.empty() ? groups_.end() : groups_.find({gang.ns, gang.group});
  if (found == groups_.end()) return nullptr;
  // The group of a deleted job may still be there when the pods of a new job of that name come.
  const auto* owner = api::controller_of(found->second->metadata);
  return owner == nullptr || owner->uid == gang.controller_uid ? found->second.get() : nullptr;
}

PodGroupPtr Ledger::find_group(const Key& key) const {
  const auto found = groups_.find(key);
  return found == groups_.end() ? nullptr : found->second;
}

const api::ResourceList& Ledger::taken_on(const std::string& node) const {
  static const api::ResourceList kNothing;
  const auto found = on_nodes_.find(node);
  return found == on_nodes_.end() ? kNothing : found->second.taken;
}

std::vector<std::string> Ledger::holders_of(const std::string& resource) const {
  std::set<std::string> names;
  for (const Gang* gang : holding()) {
    if (!amount_of(gang->held, resource).is_zero()) names.insert(gang->name);
  }
  return {names.begin(), names.end()};
}

std::vector<PodPtr> Ledger::pods_of_unknown_nodes(const std::set<std::string>& known) const {
  std::vector<PodPtr> result;
  for (const auto& [node, on_node] : on_nodes_) {
    if (known.contains(node)) continue;
    for (const Key& key : on_node.pods) {
      const PodPtr& pod = pods_.at(key).pod;
      if (pod->status.phase != "Running" && !is_terminating(*pod)) result.push_back(pod);
    }
  }
  return result;
}

}  // namespace muster::control
