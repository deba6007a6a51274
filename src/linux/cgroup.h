// Control groups: version 2, version 1, or none, whichever this host lets us use. Thin: no policy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::linux_os {

struct CgroupLimits {
  std::optional<std::int64_t> cpu_request = {};  // thousandths of a core: the share when cores are scarce
  std::optional<std::int64_t> cpu_limit = {};    // thousandths of a core
  std::optional<std::int64_t> memory = {};       // bytes
  std::optional<std::int64_t> processes = {};
  bool operator==(const CgroupLimits&) const = default;
};

/// How a process gets into a group.
struct CgroupEntry {
  /// Version 1: the process itself writes "0" to each of these files. That moves a single thread, so the kernel skips
  /// the lock over all forks, whose grace period would take 20 ms.
  std::vector<std::string> join_files;
  /// Version 2: the process is created in this folder, with CLONE_INTO_CGROUP.
  std::string folder;
  /// Counts the group's processes that were killed for lack of memory; "" when nobody does.
  std::string oom_file;
};

/// A place in the host's hierarchies below which we may create groups. The groups have a parent named after the engine,
/// which exists only while there are groups.
class CgroupTree {
 public:
  enum class Version { kNone, kV1, kV2 };

  /// Finds the place, where the parent group will be called `name`. `mounts` is where the hierarchies are mounted and
  /// `own` the text of /proc/self/cgroup; both are parameters for tests.
  static CgroupTree find(const std::string& name, const std::string& mounts = "/sys/fs/cgroup");
  static CgroupTree find(const std::string& name, const std::string& mounts, const std::string& own);

  Version version() const { return version_; }
  /// Whether groups have this controller: cpu, memory or pids.
  bool has(std::string_view controller) const;
  /// What of it does not work here and why, or "".
  const std::string& missing() const { return missing_; }

  /// The folders of a group, whether it exists or not.
  std::vector<std::string> folders(const std::string& group) const;
  /// Existing groups are fine: their limits are set again.
  Status create(const std::string& group, const CgroupLimits& limits) const;
  CgroupEntry entry(const std::string& group) const;

 private:
  struct Hierarchy {
    std::string folder;                    // of the parent group
    std::vector<std::string> controllers;  // in version 1 one
  };
  static CgroupTree find_v2(const std::string& name, const std::string& mount, const std::string& own);
  static CgroupTree find_v1(const std::string& name, const std::string& mounts, const std::string& own);
  const Hierarchy* hierarchy_of(std::string_view controller) const;
  Status make_parent(const Hierarchy& hierarchy) const;
  Status set(std::string_view controller, const std::string& group, const std::string& file,
             const std::string& value) const;
  Status set_if_there(std::string_view controller, const std::string& group, const std::string& file,
                      const std::string& value) const;
  Status set_v1(const std::string& group, const CgroupLimits& limits) const;
  Status set_v2(const std::string& group, const CgroupLimits& limits) const;

  Version version_ = Version::kNone;
  std::string missing_ = "this host has no control groups that the engine may use";
  std::vector<Hierarchy> hierarchies_;
};

/// Removes the folders of groups, and their parent with the last group. What is left in a group is killed. Fails while
/// a process is on its way out; call again.
Status remove_groups(const std::vector<std::string>& folders);

}  // namespace muster::linux_os
