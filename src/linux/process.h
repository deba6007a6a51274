// Processes as the kernel knows them: starting one without fork, naming one so that a reused pid cannot be mistaken for
// it, and waiting for it. Thin: no policy, no threads. (The namespace is not called `linux`: gcc predefines that word.)
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace muster::linux_os {

struct SpawnRequest {
  std::string program;            // a path: no search
  std::vector<std::string> args;  // args[0] included
  std::vector<std::string> env;
  std::vector<std::pair<int, int>> fds;  // ours -> the child's; the child has no others
};
struct Child {
  pid_t pid = 0;
  Fd pidfd;
};
/// In a session of its own, with default signals. Never forks: the time does not depend on the size of this process.
Result<Child> spawn(const SpawnRequest& request);

/// NotFound when there is no such process.
Result<Fd> open_pidfd(pid_t pid);
Status send_signal(const Fd& pidfd, int signal);
/// True once the process has ended (and is reaped, if it is a child of ours).
bool has_ended(const Fd& pidfd);

/// What tells a process from a later one with the same pid.
struct ProcessId {
  pid_t pid = 0;
  std::uint64_t start_time = 0;  // clock ticks since boot
  bool operator==(const ProcessId&) const = default;
};
std::optional<std::uint64_t> start_time_of(pid_t pid);
/// The pidfd of exactly that process; nullopt when it is gone. Opened first and checked then, so it cannot be another.
std::optional<Fd> open_exactly(const ProcessId& id);

Result<std::string> boot_id();
/// Inode of this process' PID namespace: pids mean something only within one.
Result<std::uint64_t> pid_namespace();

}  // namespace muster::linux_os
