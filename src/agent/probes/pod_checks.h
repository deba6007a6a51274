// PodChecks: runs the probes and hooks of the pods that run here. Nothing of it is stored but the moment at which
// preStop hooks began: a new server begins with what the API shows. A pod that asks for nothing has no entry here and
// no timer. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agent/pod/decide.h"
#include "agent/probes/action_runner.h"
#include "agent/probes/checks.h"
#include "agent/probes/run_probes.h"
#include "base/lifetime.h"
#include "base/ports.h"
#include "json/document.h"

namespace muster::agent {

class PodChecks {
 public:
  struct Sources {
    std::function<std::string(const std::string& uid)> launch_folder;
    /// Ends one run of a container. `done` is called from the loop, never inline.
    std::function<void(const std::string& uid, const std::string& container, int run, std::int64_t grace_seconds,
                       UniqueFunction<void(Status)> done)>
        kill;
    /// Probes report the same event again and again.
    std::function<void(const std::string& uid, const PodEvent&)> report;
    /// What `look` tells about the pod has changed.
    std::function<void(const std::string& uid)> on_change;
  };
  PodChecks(Loop& loop, Rng& rng, ActionRunner& runner, Sources sources);

  /// Probes what runs, and adds to `around` what is known.
  void look(const json::Document& pod, const Sighting& seen, PodContext& around);
  /// Begins the preStop hooks of a pod that is to stop, or shortens their time.
  void run_stop_hooks(const json::Document& pod, std::int64_t grace_seconds);
  void forget(const std::string& uid) { pods_.erase(uid); }
  std::size_t size() const { return pods_.size(); }

 private:
  /// One run of a container. It is replaced as a whole, so callbacks about an earlier one find their handle gone.
  struct Run {
    int run = 0;
    ActionTarget target;
    std::optional<RunProbes> probes;  // from the end of the postStart hook on
    std::map<ProbeKind, std::unique_ptr<RunningAction>> in_progress;
    std::unique_ptr<RunningAction> hook;
    bool is_ending = false;
    Loop::Id timer = 0;
    Lifetime lifetime = {};
  };
  struct Pod {
    std::map<std::string, ContainerChecks> checks;
    std::map<std::string, std::unique_ptr<Run>> runs;  // of the containers that run, also those that ask for nothing
    std::int64_t grace_seconds = 30;
    bool restarts = false;
    std::optional<Time> hooks_begun;  // the preStop hooks of the pod
    std::int64_t hooks_grace = 0;
    Loop::Id hooks_timer = 0;
  };

  Pod* follow(const json::Document& pod);
  void begin_run(const json::Document& pod, Pod& on, const ContainerRecord& record);
  void begin_probes(const std::string& uid, const std::string& name, Run& run, RunProbes::Begin begin);
  void probe_due(const std::string& uid, const std::string& name, Run& run);
  void schedule(const std::string& uid, const std::string& name, Run& run);
  void take(const std::string& uid, const std::string& name, Run& run, ProbeKind kind, const ProbeResult& result);
  void end_run(const std::string& uid, const std::string& name, Run& run, const std::string& why, std::int64_t grace);
  void run_hook(const std::string& uid, Run& run, const Action& hook, std::optional<Duration> timeout,
                UniqueFunction<void(bool succeeded)> done);
  void run_pre_stop(const std::string& uid, const std::string& name, Run& run, std::int64_t grace,
                    std::optional<Duration> timeout);
  void kill(const std::string& uid, const std::string& name, Run& run, std::int64_t grace);
  void give_up_hooks(const std::string& uid);
  StopHooks stop_hooks_of(const Pod& on) const;
  void cancel(Loop::Id& timer);

  Loop& loop_;
  Rng& rng_;
  ActionRunner& runner_;
  Sources sources_;
  std::map<std::string, std::unique_ptr<Pod>> pods_;
  Lifetime lifetime_;
};

}  // namespace muster::agent
