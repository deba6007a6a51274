// Determines the outcome of an attempt from its folder and the kernel's state. The server may have died at any instant;
// a pod is never started twice and never killed because of that.
#pragma once

#include <optional>
#include <string>

#include "agent/record.h"
#include "base/fd.h"

namespace muster::agent {

/// What was found out about one attempt.
struct Evidence {
  bool folder = false;
  bool identity = false;  // shim.json exists and is complete
  bool same_boot = false;
  bool lock_held = false;
  bool stopped = false;              // the file `stopped` exists
  bool process_matches = false;      // pid, start time and PID namespace match shim.json
  std::optional<AttemptRecord> end;  // exit.json
};

enum class Verdict {
  kNeverRan,    // user code never started: the same attempt may be started again
  kFinished,    // exit.json holds the result
  kStopped,     // muster down ended it; it is to be started again
  kAdopt,       // it is running
  kLookAgain,   // a shim is starting or exiting
  kLostReboot,  // the machine was rebooted while it ran
  kLostShim,    // the shim was killed, and the pod with it
};

/// Total and pure.
Verdict judge(const Evidence& evidence);

struct Recovered {
  Verdict verdict = Verdict::kNeverRan;
  std::optional<AttemptRecord> end;
  std::optional<AttemptRecord> state;  // state.json of an attempt that is running or was lost
  Fd pidfd;                            // of the adopted shim
};
/// Collects the evidence from the folder and the kernel, and judges it.
Recovered examine_attempt(const std::string& folder);

}  // namespace muster::agent
