// Control groups: version 2, version 1, or none, whichever this host lets us use. Thin: no policy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster::linux_os {

struct CgroupLimits {
  std::optional<std::int64_t> cpu_request;  // thousandths of a core: the share when cores are scarce
  std::optional<std::int64_t> cpu_limit;    // thousandths of a core
  std::optional<std::int64_t> memory;       // bytes
  std::optional<std::int64_t> processes;
};

struct CgroupUsage {
  std::int64_t cpu_nanoseconds = 0;
  std::int64_t memory = 0;  // bytes, without the page cache that can be dropped
};

/// A place in the host's hierarchies below which we may create groups.
class CgroupTree {
 public:
  enum class Version { kNone, kV1, kV2 };

  /// Finds the place and creates the parent group `name` there. `mounts` is where the hierarchies are mounted and
  /// `own` the text of /proc/self/cgroup; both are parameters for tests.
  static CgroupTree find(const std::string& name, const std::string& mounts = "/sys/fs/cgroup");
  static CgroupTree find(const std::string& name, const std::string& mounts, const std::string& own);

  Version version() const { return version_; }
  /// What of it does not work here and why, or "".
  const std::string& missing() const { return missing_; }

  /// Existing groups are fine: their limits are set again.
  Status create(const std::string& group, const CgroupLimits& limits) const;
  /// The folders whose cgroup.procs a process writes to in order to join.
  std::vector<std::string> folders(const std::string& group) const;
  /// The file that counts processes killed for lack of memory, or "".
  std::string oom_file(const std::string& group) const;
  /// Kills what is left in the group and removes it. Fails while a process is on its way out; call again.
  Status remove(const std::string& group) const;
  std::optional<CgroupUsage> usage(const std::string& group) const;
  /// The names of the groups that exist.
  std::vector<std::string> groups() const;

 private:
  struct Hierarchy {
    std::string controller;  // "" for all of version 2
    std::string folder;      // of the parent group
  };
  static CgroupTree find_v2(const std::string& name, const std::string& mount, const std::string& own);
  static CgroupTree find_v1(const std::string& name, const std::string& mounts, const std::string& own);
  const Hierarchy* hierarchy_of(std::string_view controller) const;
  Status set(std::string_view controller, const std::string& group, const std::string& file,
             const std::string& value) const;
  Status set_v1(const std::string& group, const CgroupLimits& limits) const;
  Status set_v2(const std::string& group, const CgroupLimits& limits) const;

  Version version_ = Version::kNone;
  std::string missing_ = "this host has no control groups that the engine may use";
  std::vector<Hierarchy> hierarchies_;
};

/// The count in the text of `oom_file`.
std::int64_t parse_oom_kills(std::string_view text);

}  // namespace muster::linux_os
