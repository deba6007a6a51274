// Determines the outcome of a launch from its folder and the kernel's state. The server may have died at any instant;
// a pod is never started twice and never killed because of that.
#pragma once

#include <optional>
#include <string>

#include "agent/pod/decide.h"
#include "agent/pod/record.h"
#include "base/fd.h"

namespace muster::agent {

/// What was found out about one launch.
struct Evidence {
  bool folder = false;
  bool identity = false;  // shim.json exists and is complete
  bool same_boot = false;
  bool lock_held = false;
  bool stopped = false;              // the file `stopped` exists
  bool process_matches = false;      // pid, start time and PID namespace match shim.json
  std::optional<AttemptRecord> end;  // exit.json
};

/// Total and pure. Never kStarting or kReady: only the server that started a shim knows that.
Presence judge(const Evidence& evidence);

struct Recovered {
  Presence presence = Presence::kNothing;
  int shim_version = 0;
  std::optional<AttemptRecord> end;
  std::optional<AttemptRecord> state;  // state.json of a launch that is running or was lost
  Fd pidfd;                            // of a running shim
};
/// Returns the number of the pod's last launch, or nullopt when it never had one.
std::optional<int> last_launch(const std::string& pod_folder);
/// Collects the evidence from the folder and the kernel, and judges it.
Recovered examine_launch(const std::string& folder);

}  // namespace muster::agent
