#include "linux/cgroup.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "base/fd.h"
#include "base/files.h"
#include "base/strings.h"

namespace muster::linux_os {
namespace {

constexpr std::array<const char*, 4> kControllersV1 = {"memory", "pids", "cpu", "cpuacct"};
constexpr std::array<const char*, 3> kControllersV2 = {"cpu", "memory", "pids"};
constexpr std::int64_t kPeriod = 100'000;  // microseconds
constexpr long kCgroup2Magic = 0x63677270;

Status write_value(const std::string& path, std::string_view value) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return errno_error("open " + quote(path), errno);
  if (::write(file.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size()))
    return errno_error(fmt::format("write {} to {}", quote(std::string(value)), quote(path)), errno);
  return ok();
}

Status make_group(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return ok();
  return errno_error("create the control group " + quote(folder), errno);
}

/// Version 2: the children of the group get the controller. Whether they did is seen in their cgroup.controllers.
void enable(const std::string& folder, const std::string& controller) {
  (void)write_value(folder + "/cgroup.subtree_control", "+" + controller).has_value();
}

/// The path of this process in a hierarchy, from a line "ID:CONTROLLERS:PATH" of /proc/self/cgroup.
std::optional<std::string> own_path(const std::string& own, std::string_view controller) {
  for (const std::string& line : split(own, '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::vector<std::string> names = split(line.substr(first + 1, second - first - 1), ',');
    if (std::ranges::find(names, controller) == names.end()) continue;
    const std::string path = line.substr(second + 1);
    return path == "/" ? "" : path;
  }
  return std::nullopt;
}

bool is_cgroup2(const std::string& mount) {
  struct statfs what {};
  return ::statfs(mount.c_str(), &what) == 0 && static_cast<long>(what.f_type) == kCgroup2Magic;
}

/// Version 2 wants 1 to 10,000 where version 1 has shares from 2 to 262,144.
std::int64_t weight_of(std::int64_t shares) {
  return 1 + (shares - 2) * 9999 / 262142;
}
std::int64_t shares_of(std::int64_t milli) {
  return std::clamp<std::int64_t>(milli * 1024 / 1000, 2, 262144);
}
std::int64_t quota_of(std::int64_t milli) {
  return std::max<std::int64_t>(milli * kPeriod / 1000, 1000);
}

void kill_members(const std::string& folder) {
  const std::string text = read_file(folder + "/cgroup.procs").value_or("");
  for (const std::string& line : split(text, '\n')) {
    if (const auto pid = parse_int(line); pid && *pid > 1) ::kill(static_cast<pid_t>(*pid), SIGKILL);
  }
}

}  // namespace

CgroupTree CgroupTree::find(const std::string& name, const std::string& mounts) {
  return find(name, mounts, read_file("/proc/self/cgroup").value_or(""));
}

CgroupTree CgroupTree::find(const std::string& name, const std::string& mounts, const std::string& own) {
  if (is_cgroup2(mounts)) return find_v2(name, mounts, own);
  return find_v1(name, mounts, own);
}

/// The root of the tree for root; otherwise the nearest group that was delegated to this user. A group with processes
/// of its own cannot have controllers for its children, so our own group serves only when it is the root.
CgroupTree CgroupTree::find_v2(const std::string& name, const std::string& mount, const std::string& own) {
  CgroupTree tree;
  std::string why = "no group has the controllers";
  std::string path = own_path(own, "").value_or("");
  std::vector<std::string> candidates = {""};
  while (!path.empty()) {
    path = path.substr(0, path.rfind('/'));
    if (!path.empty()) candidates.push_back(path);
  }
  for (const std::string& candidate : candidates) {
    // They may be on already, and then need no permission.
    for (const char* controller : kControllersV2) enable(mount + candidate, controller);
    const std::string folder = mount + candidate + "/" + name;
    const auto made = make_group(folder);
    if (!made) {
      why = made.error().message;
      continue;
    }
    const auto controllers = split(trim(read_file(folder + "/cgroup.controllers").value_or("")), ' ');
    ::rmdir(folder.c_str());  // fails when an earlier engine's groups are there, which is fine
    std::vector<std::string> found, missing;
    for (const char* controller : kControllersV2)
      (std::ranges::find(controllers, controller) != controllers.end() ? found : missing).emplace_back(controller);
    if (found.empty()) continue;
    tree.version_ = Version::kV2;
    tree.hierarchies_ = {{folder, std::move(found)}};
    tree.missing_ = missing.empty() ? "" : "control groups version 2 without " + join(missing, ", ");
    return tree;
  }
  tree.missing_ = "control groups version 2: none is delegated to the engine: " + why;
  return tree;
}

CgroupTree CgroupTree::find_v1(const std::string& name, const std::string& mounts, const std::string& own) {
  CgroupTree tree;
  std::vector<std::string> missing;
  for (const char* controller : kControllersV1) {
    const auto path = own_path(own, controller);
    const std::string folder = mounts + "/" + controller + path.value_or("") + "/" + name;
    const auto made = path ? make_group(folder) : Status(Error{.reason = Reason::kNotFound, .message = "not mounted"});
    if (made) {
      ::rmdir(folder.c_str());
      tree.hierarchies_.push_back({folder, {controller}});
    } else {
      missing.push_back(fmt::format("{} ({})", controller, made.error().message));
    }
  }
  if (tree.hierarchies_.empty()) {
    if (!own.empty() && !missing.empty()) tree.missing_ += ": " + missing.front();
    return tree;
  }
  tree.version_ = Version::kV1;
  tree.missing_ = missing.empty() ? "" : "control groups version 1 without " + join(missing, ", ");
  return tree;
}

const CgroupTree::Hierarchy* CgroupTree::hierarchy_of(std::string_view controller) const {
  const auto found = std::ranges::find_if(hierarchies_, [&](const Hierarchy& h) {
    return std::ranges::find(h.controllers, controller) != h.controllers.end();
  });
  return found == hierarchies_.end() ? nullptr : &*found;
}

bool CgroupTree::has(std::string_view controller) const {
  return hierarchy_of(controller) != nullptr;
}

Status CgroupTree::set(std::string_view controller, const std::string& group, const std::string& file,
                       const std::string& value) const {
  const Hierarchy* hierarchy = hierarchy_of(controller);
  if (hierarchy == nullptr) return ok();  // said once in `missing`
  return write_value(hierarchy->folder + "/" + group + "/" + file, value);
}

/// For files that exist only where the kernel has the feature.
Status CgroupTree::set_if_there(std::string_view controller, const std::string& group, const std::string& file,
                                const std::string& value) const {
  auto done = set(controller, group, file, value);
  return !done && done.error().reason == Reason::kNotFound ? ok() : done;
}

Status CgroupTree::set_v1(const std::string& group, const CgroupLimits& limits) const {
  if (limits.memory) {
    const std::string bytes = std::to_string(*limits.memory);
    TRY(set("memory", group, "memory.limit_in_bytes", bytes));
    TRY(set_if_there("memory", group, "memory.memsw.limit_in_bytes", bytes));  // with swap
  }
  if (limits.processes) TRY(set("pids", group, "pids.max", std::to_string(*limits.processes)));
  if (limits.cpu_request) TRY(set("cpu", group, "cpu.shares", std::to_string(shares_of(*limits.cpu_request))));
  if (limits.cpu_limit) {
    TRY(set("cpu", group, "cpu.cfs_period_us", std::to_string(kPeriod)));
    TRY(set("cpu", group, "cpu.cfs_quota_us", std::to_string(quota_of(*limits.cpu_limit))));
  }
  return ok();
}

Status CgroupTree::set_v2(const std::string& group, const CgroupLimits& limits) const {
  if (limits.memory) {
    TRY(set("memory", group, "memory.max", std::to_string(*limits.memory)));
    TRY(set_if_there("memory", group, "memory.swap.max", "0"));
    // A container that has lost one of its processes does no useful work any more.
    TRY(set_if_there("memory", group, "memory.oom.group", "1"));
  }
  if (limits.processes) TRY(set("pids", group, "pids.max", std::to_string(*limits.processes)));
  if (limits.cpu_request)
    TRY(set("cpu", group, "cpu.weight", std::to_string(weight_of(shares_of(*limits.cpu_request)))));
  if (limits.cpu_limit) TRY(set("cpu", group, "cpu.max", fmt::format("{} {}", quota_of(*limits.cpu_limit), kPeriod)));
  return ok();
}

Status CgroupTree::make_parent(const Hierarchy& hierarchy) const {
  TRY(make_group(hierarchy.folder));
  if (version_ == Version::kV2) {
    for (const std::string& controller : hierarchy.controllers) enable(hierarchy.folder, controller);
  }
  return ok();
}

Status CgroupTree::create(const std::string& group, const CgroupLimits& limits) const {
  for (const Hierarchy& hierarchy : hierarchies_) {
    TRY(make_parent(hierarchy));
    TRY(make_group(hierarchy.folder + "/" + group));
  }
  if (version_ == Version::kNone) return ok();
  return version_ == Version::kV2 ? set_v2(group, limits) : set_v1(group, limits);
}

std::vector<std::string> CgroupTree::folders(const std::string& group) const {
  std::vector<std::string> all;
  for (const Hierarchy& hierarchy : hierarchies_) all.push_back(hierarchy.folder + "/" + group);
  return all;
}

CgroupEntry CgroupTree::entry(const std::string& group) const {
  CgroupEntry entry;
  if (version_ == Version::kV2) {
    entry.folder = hierarchies_[0].folder + "/" + group;
  } else {
    for (const std::string& folder : folders(group)) entry.join_files.push_back(folder + "/tasks");
  }
  if (const Hierarchy* memory = hierarchy_of("memory")) {
    entry.oom_file =
        memory->folder + "/" + group + (version_ == Version::kV2 ? "/memory.events" : "/memory.oom_control");
  }
  return entry;
}

Status remove_groups(const std::vector<std::string>& folders) {
  Status result = ok();
  for (const std::string& folder : folders) {
    if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) {
      ::rmdir(folder.substr(0, folder.rfind('/')).c_str());  // fails while it has other groups
      continue;
    }
    result = errno_error("remove the control group " + quote(folder), errno);
    kill_members(folder);
  }
  return result;
}

}  // namespace muster::linux_os
