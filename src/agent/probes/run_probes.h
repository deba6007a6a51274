// The probes of one run of a container: when each is due, and what its results mean. Pure; the rules are a kubelet's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/pod/decide.h"
#include "agent/probes/checks.h"
#include "base/time.h"

namespace muster::agent {

struct ProbeResult {
  enum class Kind {
    kSuccess,
    kWarning,  // counts as a success
    kFailure,
    kError,  // the probe could not be made; it says nothing about the container
  };
  Kind kind = Kind::kSuccess;
  std::string output;
};

class RunProbes {
 public:
  struct Begin {
    MonoTime now;
    Duration age{};  // how long the container has been running
    // What the API shows of a run that an earlier server has watched: it counts until the first results.
    std::optional<ContainerHealth> known = {};
    double stagger = 0;  // the part of a period that passes before the first probes
  };
  RunProbes(const std::map<ProbeKind, Probe>& probes, Begin begin);

  ContainerHealth health() const { return health_; }
  /// The probes to make now. Each is in progress until `take` has its result.
  std::vector<ProbeKind> begin_due(MonoTime now);
  /// When the next one is due, unless a result changes that.
  std::optional<MonoTime> next() const;

  struct Verdict {
    std::optional<PodEvent> event;
    bool ends_container = false;
  };
  Verdict take(ProbeKind kind, const ProbeResult& result, MonoTime now);

  const Probe& probe(ProbeKind kind) const { return states_.at(kind).probe; }

 private:
  struct State {
    Probe probe;
    MonoTime due;
    bool in_progress = false;
    bool last_succeeded = false;
    int in_a_row = 0;
  };
  bool is_wanted(ProbeKind kind) const;
  void conclude(ProbeKind kind, bool succeeded, MonoTime now, Verdict& verdict);

  std::map<ProbeKind, State> states_;
  ContainerHealth health_;
  bool is_failed_ = false;  // it is to end
};

}  // namespace muster::agent
