// What became of an attempt, told from what its folder and the kernel show. The server may have died at any instant; a
// pod is never started twice and never killed because of that.
#pragma once

#include <optional>
#include <string>

#include "agent/record.h"
#include "base/fd.h"

namespace muster::agent {

/// What was found of one attempt.
struct Evidence {
  bool folder = false;
  bool identity = false;  // shim.json is there and whole
  bool same_boot = false;
  bool lock_held = false;
  bool stopped = false;              // the file `stopped` is there
  bool process_matches = false;      // pid, start time and PID namespace are those of shim.json
  std::optional<AttemptRecord> end;  // exit.json
};

enum class Verdict {
  kNeverRan,    // user code never began: the same attempt may be started
  kFinished,    // exit.json tells how
  kStopped,     // muster down ended it, to be started again
  kAdopt,       // it runs
  kLookAgain,   // a shim is on its way out or in
  kLostReboot,  // the machine went down with it
  kLostShim,    // the shim was killed, and the pod with it
};

/// Total and pure.
Verdict judge(const Evidence& evidence);

struct Recovered {
  Verdict verdict = Verdict::kNeverRan;
  std::optional<AttemptRecord> end;
  std::optional<AttemptRecord> state;  // state.json, of what runs or was lost
  Fd pidfd;                            // of the shim, when adopted
};
/// Looks at the folder and the kernel.
Recovered examine_attempt(const std::string& folder);

}  // namespace muster::agent
