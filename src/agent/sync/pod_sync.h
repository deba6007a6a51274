// PodSync: takes the next steps of each pod that may have one. Level-triggered: whatever happens to a pod, it is looked
// at again. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/names/names.h"
#include "agent/objects/node_objects.h"
#include "agent/plan/launch_planner.h"
#include "agent/pod/gangs.h"
#include "agent/pod/pod_keeper.h"
#include "base/work_queue.h"

namespace muster::agent {

class PodSync {
 public:
  /// What a decision depends on besides the pod, its gang and its launch.
  struct Sources {
    Duration first_restart_delay;
    std::function<std::string(const std::string& uid)> eviction_of;
    /// Why no pod may start because of the disk; "": they may.
    std::function<std::string()> disk_problem;
    std::function<std::optional<std::string>(const std::string& uid)> stall_of;
    /// Adds what probes and hooks say about a pod.
    std::function<void(const json::Document& pod, const Sighting& seen, PodContext& around)> check;
    PodKeeper::RunHooks run_stop_hooks;
    /// Nothing is left of the pod, here and in the API.
    std::function<void(const std::string& uid)> on_gone;
  };
  PodSync(Loop& loop, Os& os, PodApi& api, const NodeObjects& objects, Names& names, LaunchPlanner& planner,
          Sources sources);

  /// Nothing is decided before this call: a decision made from a partial view would be wrong.
  void open() { queue_.open(); }
  void look_at(const std::string& uid) { queue_.add(uid); }
  /// Something that a pod waits for may have appeared.
  void look_at_waiting();
  void on_pod_changed(const json::Document* before, const json::Document* now);
  /// The pod and those that start together with it.
  std::vector<std::shared_ptr<const json::Document>> gang_of(const json::Document& pod) const;
  /// The names of pods or services changed: they are written before the next pod is looked at.
  void write_names();

 private:
  void sync(const std::string& key);
  void sync_pod(const std::string& uid);
  PodContext look_around(const json::Document& pod, const Sighting& seen);
  Readiness readiness_of(const json::Document& pod);
  bool gang_is_ready(const json::Document& pod);

  Loop& loop_;
  const NodeObjects& objects_;
  Names& names_;
  LaunchPlanner& planner_;
  Sources sources_;
  Gangs gangs_;
  PodKeeper keeper_;
  WorkQueue<std::string> queue_;
};

}  // namespace muster::agent
