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
struct ContainerRecord {
  std::string name;
  bool is_init = false;
  RunState state = RunState::kWaiting;
  std::optional<Time> started;
  std::optional<Time> finished;
  int code = 0;
  int signal = 0;
  std::string message;  // why the container could not be started
};

/// state.json and exit.json have the same format; they are written at different times.
struct AttemptRecord {
  bool ran = false;  // false: user code never started
  std::vector<ContainerRecord> containers;
  std::vector<std::string> notices;

  const ContainerRecord* find(std::string_view container) const;
};

Result<ShimIdentity> parse_identity(std::string_view text);
Result<AttemptRecord> parse_record(std::string_view text);

}  // namespace muster::agent
