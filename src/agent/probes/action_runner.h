// How an action of a probe or hook is carried out. The real one is agent/probes/pod_actions.h.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/probes/run_probes.h"
#include "base/unique_function.h"

namespace muster::agent {

/// The container that an action is about.
struct ActionTarget {
  std::string uid;
  std::string container;
  std::string address;  // of the pod
};

/// An action in progress. Destroying it ends it, and no callback follows. Its callback may destroy it, but not itself.
class RunningAction {
 public:
  virtual ~RunningAction() = default;
};

class ActionRunner {
 public:
  using Done = UniqueFunction<void(ProbeResult)>;
  virtual ~ActionRunner() = default;
  /// `done` is called once, from the loop and never inline. An action that takes longer than the timeout has failed.
  virtual std::unique_ptr<RunningAction> run(const ActionTarget& target, const Action& action,
                                             std::optional<Duration> timeout, Done done) = 0;
};

}  // namespace muster::agent
