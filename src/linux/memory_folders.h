// The folders in memory (tmpfs) that a process sees, and how much is in them. Thin: no policy. Readable from any
// thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::linux_os {

struct MountedMemory {
  dev_t device = 0;  // two mounts of the same folder in memory have the same
  std::string path;  // as the process sees it
  bool operator==(const MountedMemory&) const = default;
};
/// Parses the text of /proc/PID/mountinfo; `source` is the name with which the folders were mounted. Each device
/// appears once.
std::vector<MountedMemory> parse_mounted_memory(std::string_view mountinfo, std::string_view source);
/// Empty when the process has ended.
std::vector<MountedMemory> mounted_memory(pid_t pid, std::string_view source);

/// How many bytes are in the folder. Nullopt when the process does not see it there any more.
std::optional<std::int64_t> bytes_in(pid_t pid, const MountedMemory& folder);

}  // namespace muster::linux_os
