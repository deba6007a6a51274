// The records that a shim writes about itself and its containers: shim.json, state.json, exit.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "linux/process.h"

namespace muster::agent {

struct ShimIdentity {
  int version = 0;
  linux_os::ProcessId process;
  std::string boot_id;
  std::uint64_t pid_namespace = 0;
};

enum class RunState { kWaiting, kRunning, kTerminated };
/// How an earlier run of a container ended.
struct LastRun {
  int run = 0;
  std::optional<Time> started;
  std::optional<Time> finished;
  int code = 0;
  int signal = 0;
  bool oom = false;
  std::string message;
  std::string termination;
};
struct ContainerRecord {
  std::string name;
  bool is_init = false;
  RunState state = RunState::kWaiting;
  std::optional<Time> started;
  std::optional<Time> finished;
  int code = 0;
  int signal = 0;
  bool oom = false;             // it failed, and a process of it was killed for lack of memory
  bool killed = false;          // the agent asked for its end, so it restarts whatever its code
  std::string message;          // why the container could not be started
  std::string termination;      // what it wrote to its termination message file
  int run = 0;                  // its restart count; a shim of version 1 does not know it and reports 0
  pid_t pid = 0;                // of a running container, as seen from outside the pod; 0: unknown
  std::optional<LastRun> last;  // the run before this one, when this shim ran it

  bool has_failed() const { return state == RunState::kTerminated && (code != 0 || !message.empty()); }
};

/// state.json and exit.json have the same format; they are written at different times.
struct AttemptRecord {
  bool ran = false;    // false: user code never started
  pid_t init_pid = 0;  // of the pod's init, as seen from outside the pod
  std::vector<ContainerRecord> containers;
  std::vector<std::string> notices;

  const ContainerRecord* find(std::string_view container) const;
  /// Every container has ended without a failure.
  bool ended_well() const;
};

/// Read the records of shims of this version and of version 1, which have no checksum. A record that is torn, because
/// the power failed before it reached the disk, is an error.
Result<ShimIdentity> parse_identity(std::string_view text);
Result<AttemptRecord> parse_record(std::string_view text);

}  // namespace muster::agent
