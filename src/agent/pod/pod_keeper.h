// PodKeeper: looks at a pod, decides, and takes the steps. It remembers nothing that a restart must not forget: that is
// in the API and on disk.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/pod/decide.h"
#include "agent/pod/os.h"

namespace muster::agent {

class PodKeeper {
 public:
  /// Tells the rest of what a decision depends on. Called once per look.
  using LookAround = std::function<PodContext(const json::Document& pod, const Sighting& seen)>;
  /// Begins the preStop hooks of a pod, or shortens their time. What becomes of them is seen by looking around.
  using RunHooks = std::function<void(const json::Document& pod, std::int64_t grace_seconds)>;

  PodKeeper(Os& os, PodApi& api, LookAround look_around, RunHooks run_stop_hooks);

  /// Takes the next steps of a pod; `pod` is null when the API does not have it. Returns when to look again.
  std::optional<Duration> sync(const std::string& uid, const json::Document* pod, Time now);
  /// Returns true while the agent has something to do for the pod.
  bool knows(const std::string& uid) const { return memories_.contains(uid); }
  /// What the machine shows of a pod. kNothing for one that is not known.
  Presence presence_of(const std::string& uid);
  /// The pods whose launch waits for something.
  std::vector<std::string> waiting() const;

 private:
  PodMemory* find_or_recall(const std::string& uid, const DesiredPod* pod);
  /// Returns the delay after which a step that failed is tried again.
  std::optional<Duration> take(const Step& step, const std::string& uid, const json::Document* pod, Time now);
  Status take_fallible(const Step& step, const std::string& uid, const json::Document* pod, const PodMemory& memory);

  Os& os_;
  PodApi& api_;
  LookAround look_around_;
  RunHooks run_stop_hooks_;
  std::map<std::string, PodMemory> memories_;
  std::set<std::string> waiting_;
};

}  // namespace muster::agent
