// Processes as the kernel knows them: start one without fork, identify one so that a reused pid cannot be mistaken for
// it, and wait for it. Thin: no policy, no threads. (The namespace is not `linux`, because gcc predefines that word.)
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
  std::string program;            // a path; PATH is not searched
  std::vector<std::string> args;  // including args[0]
  std::vector<std::string> env;
  std::vector<std::pair<int, int>> fds;  // our descriptor -> the child's; the child gets no others
};
struct Child {
  pid_t pid = 0;
  Fd pidfd;
};
/// Starts it in its own session, with default signals. It never forks, so the time does not depend on our memory size.
Result<Child> spawn(const SpawnRequest& request);

/// Returns NotFound when there is no such process.
Result<Fd> open_pidfd(pid_t pid);
Status send_signal(const Fd& pidfd, int signal);
/// True once the process has ended (and is reaped, if it is a child of ours).
bool has_ended(const Fd& pidfd);

/// Distinguishes a process from a later one with the same pid.
struct ProcessId {
  pid_t pid = 0;
  std::uint64_t start_time = 0;  // clock ticks since boot
  bool operator==(const ProcessId&) const = default;
};
std::optional<std::uint64_t> start_time_of(pid_t pid);
/// The pidfd of exactly that process; nullopt when it is gone. The identity is checked after opening the pidfd.
std::optional<Fd> open_exactly(const ProcessId& id);

/// True for a process that SIGKILL was sent to, or that is ending: it keeps its locks until it has ended.
bool is_being_killed(pid_t pid);

/// Returns how many bytes of memory a process that this one starts can lock; nullopt: there is no limit, or this
/// process may raise it.
std::optional<std::int64_t> most_locked_memory();

Result<std::string> boot_id();
/// The inode of this process's PID namespace: a pid is only meaningful within one.
Result<std::uint64_t> pid_namespace();

}  // namespace muster::linux_os
