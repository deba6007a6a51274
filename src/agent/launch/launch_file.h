// The description of what a shim runs, and its encoding for the shim (shim/format.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/pod/pod_facts.h"
#include "linux/cgroup.h"

namespace muster::agent {

struct VolumeFile {
  std::string path;
  unsigned mode = 0644;
  std::string content;
  bool operator==(const VolumeFile&) const = default;
};
/// Whose folder a volume is: the engine's own, one that the owner named by `muster.dev/path`, or a hostPath.
enum class FolderOrigin { kEngine, kNamed, kHostPath };
struct HostFolder {
  std::string path;
  FolderOrigin origin = FolderOrigin::kEngine;
  std::string type = {};  // of a hostPath: what must be there, such as Directory
  bool operator==(const HostFolder&) const = default;
};
struct MemoryFolder {
  std::int64_t size_limit = 0;  // bytes; 0 is the kernel's default, half of the memory
  bool operator==(const MemoryFolder&) const = default;
};
using FileFolder = std::vector<VolumeFile>;

struct LaunchVolume {
  std::string name;
  std::variant<HostFolder, MemoryFolder, FileFolder> source;
};

struct LaunchMount {
  std::string volume;
  std::string sub_path;
  std::string target;
  bool read_only = false;
  bool operator==(const LaunchMount&) const = default;
};

struct LaunchUser {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups = {};  // supplementary
  bool operator==(const LaunchUser&) const = default;
};

enum class StandardInput { kNone, kAlways, kOnce };  // kOnce: it ends with the first attachment to it

struct LaunchContainer {
  std::string name;
  bool is_init = false;
  std::string cwd;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::vector<LaunchMount> mounts;  // outer mounts come before the ones inside them
  int run = 0;                      // the restart count with which it starts
  std::optional<LaunchUser> user = {};
  StandardInput standard_input = StandardInput::kNone;
  bool tty = false;
  bool read_only_root = false;
  std::string termination_path = {};      // absolute; empty: no termination message is read
  std::vector<std::string> devices = {};  // nodes of the host's /dev that it sees besides the harmless ones
  linux_os::CgroupEntry cgroup = {};
  std::int64_t processes = 0;  // the most that its user may have in the pod; 0: as many as the engine's user
  std::int64_t memory = 0;     // limit in bytes; 0: none
  std::optional<std::uint64_t> capabilities = {};  // as bits; absent: the usual ones
  std::string rootfs = {};                         // in place of the host's system folders; "" for these
  std::vector<std::string> writable = {};          // what it changes there vanishes with it; "/": the rootfs
  std::vector<std::pair<std::string, std::string>> shown = {};  // path in the container, what the host has there
};

struct LogLimits {
  std::int64_t segment_bytes = 10 << 20;
  int segments = 5;  // kept per run
};

struct Launch {
  std::string hostname;
  std::string hosts;          // path
  std::string resolver = {};  // the text of /etc/resolv.conf
  std::string network = {};   // folder of the owner of what it shares with its job; "": nothing
  bool own_network = false;   // it shares a network as well
  std::int64_t grace_seconds = 30;
  std::optional<std::uint32_t> group;  // of the volumes
  RestartPolicy restart = RestartPolicy::kNever;
  LogLimits log;
  std::vector<std::string> hidden;
  std::vector<std::string> through;
  std::vector<std::pair<std::string, std::string>> links;  // path, target
  std::vector<LaunchVolume> volumes;
  std::vector<LaunchContainer> containers;  // init containers first
};

std::string encode_launch(const Launch& launch);
/// Appends the record of a user, which an exec request has too.
void put_user(std::string& out, const LaunchUser& user);

}  // namespace muster::agent
