// What the kernel counts for processes and for the machine, from /proc. Thin: no policy, no memory of earlier calls.
// Readable from any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace muster::linux_os {

struct ProcessTimes {
  pid_t parent = 0;
  std::uint64_t start_time = 0;  // clock ticks since boot
  std::int64_t own_ticks = 0;    // processor time of its threads
  std::int64_t child_ticks = 0;  // of the descendants that were waited for
};
/// Parses the text of /proc/PID/stat.
std::optional<ProcessTimes> parse_process_times(std::string_view text);
std::optional<ProcessTimes> process_times(pid_t pid);
Duration from_ticks(std::int64_t ticks);

struct ProcessMemory {
  std::int64_t own = 0;     // bytes that no other process has
  std::int64_t shared = 0;  // bytes of files and of memory shared with others
};
std::optional<ProcessMemory> process_memory(pid_t pid);

/// Memory that holds data of its own: not what the kernel can drop and read from a file again.
struct KeptMemory {
  std::int64_t anonymous = 0;  // bytes
  std::int64_t shared = 0;     // bytes of shared memory: System V's, memfd, files of folders in memory
  bool operator==(const KeptMemory&) const = default;
};
/// Parses the text of /proc/PID/status. A page that several processes have counts in each of them, so that the sum over
/// a tree of forked processes is too high. Cheap.
std::optional<KeptMemory> parse_kept_memory(std::string_view status);
std::optional<KeptMemory> kept_memory(pid_t pid);
/// Parses the text of /proc/PID/smaps_rollup. Of a page that several processes have each has a part, so that sums are
/// exact. The kernel walks all pages of the process.
std::optional<KeptMemory> parse_part_of_memory(std::string_view rollup);
/// Nullopt also when this user may not see it.
std::optional<KeptMemory> part_of_memory(pid_t pid);

/// Bytes that reached the disk, including those of descendants that were waited for.
struct ProcessIo {
  std::int64_t read = 0;
  std::int64_t written = 0;
};
std::optional<ProcessIo> parse_process_io(std::string_view text);
/// Nullopt when this user may not see it.
std::optional<ProcessIo> process_io(pid_t pid);

std::vector<pid_t> process_ids();
/// The process and its descendants. With the first process of a PID namespace these are all in it: a process whose
/// parent has ended becomes a child of the first one.
std::vector<pid_t> process_tree(pid_t root);
/// The inodes of the sockets that the process has open; empty when this user may not see them.
std::vector<std::uint64_t> socket_inodes(pid_t pid);

struct MachineUsage {
  Duration cpu{0};          // time that processors were busy since boot, all together
  std::int64_t memory = 0;  // bytes that are not available to programs
};
std::optional<MachineUsage> parse_machine_usage(std::string_view stat, std::string_view meminfo);
Result<MachineUsage> machine_usage();

}  // namespace muster::linux_os
