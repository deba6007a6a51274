// Ledger: what the scheduler knows about pods and their groups. It is updated pod by pod, so that a change costs time
// in proportion to its gang, and a scheduling pass in proportion to the gangs that wait or run; ended jobs cost
// nothing.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/kubernetes/core_v1.h"
#include "api/tensorstack/scheduler_v1beta1.h"

namespace muster::control {

using PodPtr = std::shared_ptr<const api::Pod>;
using PodGroupPtr = std::shared_ptr<const api::PodGroup>;

/// Pods by phase; a pod that is being deleted is not counted.
struct PodCounts {
  std::int32_t pending = 0;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t unknown = 0;
};

/// Pods that start together, as far as they exist. A pod without a group is a gang of its own.
struct Gang {
  std::string id;
  std::string ns;
  std::string group;                         // the name of its PodGroup; "" for a pod without one
  std::string name;                          // for users: the job, the group or the pod, "default/bert"
  std::string queue;                         // named by the label on its pods; the PodGroup's queue takes precedence
  std::string controller_uid;                // "" for pods that nobody controls
  std::string sweep;                         // named by the label on its pods; "" for none
  std::size_t parallel = 0;                  // how many gangs of the sweep may hold resources at once; 0: any number
  std::map<std::string, PodPtr> waiting;     // the members that want a node, by name
  std::size_t entries = 0;                   // all members, those being deleted included
  std::size_t present = 0;                   // members in any phase that are not being deleted
  std::map<std::string, std::size_t> roles;  // of the present members, by the label of the role
  PodCounts counts;
  std::size_t holders = 0;  // members that hold resources: they have a node and have not ended
  api::ResourceList held;   // by those
};

class Ledger {
 public:
  using Key = std::pair<std::string, std::string>;  // namespace, name

  /// Replaces what is known about the pod; null: it is gone.
  void note_pod(const Key& key, PodPtr pod);
  void note_group(const Key& key, PodGroupPtr group);

  /// Returns the gangs that have members without a node, ordered by id.
  std::vector<const Gang*> waiting() const;
  /// Returns the gangs that hold resources, ordered by id.
  std::vector<const Gang*> holding() const;
  /// Returns the gangs of a PodGroup: those with its controller, or all of its name if it has none.
  std::vector<const Gang*> gangs_of(const api::PodGroup& group) const;
  /// Returns null when the gang has no PodGroup, or none is known yet.
  const api::PodGroup* group_of(const Gang& gang) const;
  PodGroupPtr find_group(const Key& key) const;
  /// Returns what the pods on the node take from it.
  const api::ResourceList& taken_on(const std::string& node) const;
  /// Returns the names, for users, of the gangs that hold the resource, in order.
  std::vector<std::string> holders_of(const std::string& resource) const;
  /// Returns the pods that name one of the other nodes and have not started.
  std::vector<PodPtr> pods_of_unknown_nodes(const std::set<std::string>& known) const;
  /// Returns the groups whose pods or objects have changed since the last call.
  std::set<Key> take_changed_groups() { return std::exchange(changed_groups_, {}); }

 private:
  struct Entry {
    PodPtr pod;
    std::string gang;
    api::ResourceList taken;  // from its node; empty when it holds nothing
  };
  struct OnNode {
    api::ResourceList taken;
    std::set<Key> pods;
  };

  void add(const Key& key, PodPtr pod);
  void remove(const Key& key);
  void hold(const Key& key, const Entry& entry, Gang& gang);
  void release(const Key& key, const Entry& entry, Gang& gang);

  std::map<Key, Entry> pods_;
  std::map<std::string, Gang> gangs_;              // by id
  std::map<Key, std::set<std::string>> by_group_;  // ids of gangs
  std::set<std::string> waiting_;                  // ids of gangs
  std::set<std::string> holding_;                  // ids of gangs
  std::map<std::string, OnNode> on_nodes_;         // by node
  std::map<Key, PodGroupPtr> groups_;
  std::set<Key> changed_groups_;
};

}  // namespace muster::control
