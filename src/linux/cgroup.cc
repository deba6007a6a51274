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

std::int64_t number_in(const std::string& path) {
  return parse_int(trim(read_file(path).value_or("0"))).value_or(0);
}

/// The value of a line "KEY NUMBER".
std::int64_t line_value(std::string_view text, std::string_view key) {
  for (const std::string& line : split(std::string(text), '\n')) {
    if (line.starts_with(std::string(key) + " ")) return parse_int(trim(line.substr(key.size() + 1))).value_or(0);
  }
  return 0;
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

std::int64_t parse_oom_kills(std::string_view text) {
  return line_value(text, "oom_kill");
}

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
  std::string why;
  std::string path = own_path(own, "").value_or("");
  std::vector<std::string> candidates = {""};
  while (!path.empty()) {
    path = path.substr(0, path.rfind('/'));
    if (!path.empty()) candidates.push_back(path);
  }
  for (const std::string& candidate : candidates) {
    const std::string parent = mount + candidate;
    for (const char* controller : {"cpu", "memory", "pids"}) {
      // The controllers of the parent may be on already, and then need no permission.
      (void)write_value(parent + "/cgroup.subtree_control", std::string("+") + controller).has_value();
    }
    const std::string folder = parent + "/" + name;
    auto made = make_group(folder);
    if (made) made = write_value(folder + "/cgroup.subtree_control", "+cpu +memory +pids");
    if (!made) {
      why = made.error().message;
      ::rmdir(folder.c_str());
      continue;
    }
    tree.version_ = Version::kV2;
    tree.hierarchies_ = {{"", folder}};
    tree.missing_.clear();
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
      tree.hierarchies_.push_back({controller, folder});
    } else {
      missing.push_back(fmt::format("{} ({})", controller, made.error().message));
    }
  }
  if (tree.hierarchies_.empty()) return tree;
  tree.version_ = Version::kV1;
  tree.missing_ = missing.empty() ? "" : "control groups version 1 without " + join(missing, ", ");
  return tree;
}

const CgroupTree::Hierarchy* CgroupTree::hierarchy_of(std::string_view controller) const {
  const auto found = std::ranges::find_if(
      hierarchies_, [&](const Hierarchy& h) { return h.controller.empty() || h.controller == controller; });
  return found == hierarchies_.end() ? nullptr : &*found;
}

Status CgroupTree::set(std::string_view controller, const std::string& group, const std::string& file,
                       const std::string& value) const {
  const Hierarchy* hierarchy = hierarchy_of(controller);
  if (hierarchy == nullptr) return ok();  // said once in `missing`
  return write_value(hierarchy->folder + "/" + group + "/" + file, value);
}

Status CgroupTree::set_v1(const std::string& group, const CgroupLimits& limits) const {
  if (limits.memory) TRY(set("memory", group, "memory.limit_in_bytes", std::to_string(*limits.memory)));
  if (limits.processes) TRY(set("pids", group, "pids.max", std::to_string(*limits.processes)));
  if (limits.cpu_request) TRY(set("cpu", group, "cpu.shares", std::to_string(shares_of(*limits.cpu_request))));
  if (limits.cpu_limit) {
    TRY(set("cpu", group, "cpu.cfs_period_us", std::to_string(kPeriod)));
    TRY(set("cpu", group, "cpu.cfs_quota_us", std::to_string(quota_of(*limits.cpu_limit))));
  }
  return ok();
}

Status CgroupTree::set_v2(const std::string& group, const CgroupLimits& limits) const {
  if (limits.memory) TRY(set("memory", group, "memory.max", std::to_string(*limits.memory)));
  if (limits.processes) TRY(set("pids", group, "pids.max", std::to_string(*limits.processes)));
  if (limits.cpu_request)
    TRY(set("cpu", group, "cpu.weight", std::to_string(weight_of(shares_of(*limits.cpu_request)))));
  if (limits.cpu_limit) TRY(set("cpu", group, "cpu.max", fmt::format("{} {}", quota_of(*limits.cpu_limit), kPeriod)));
  return ok();
}

Status CgroupTree::create(const std::string& group, const CgroupLimits& limits) const {
  for (const Hierarchy& hierarchy : hierarchies_) TRY(make_group(hierarchy.folder + "/" + group));
  if (version_ == Version::kNone) return ok();
  return version_ == Version::kV2 ? set_v2(group, limits) : set_v1(group, limits);
}

std::vector<std::string> CgroupTree::folders(const std::string& group) const {
  std::vector<std::string> all;
  for (const Hierarchy& hierarchy : hierarchies_) all.push_back(hierarchy.folder + "/" + group);
  return all;
}

std::string CgroupTree::oom_file(const std::string& group) const {
  const Hierarchy* hierarchy = hierarchy_of("memory");
  if (hierarchy == nullptr) return "";
  return hierarchy->folder + "/" + group + (version_ == Version::kV2 ? "/memory.events" : "/memory.oom_control");
}

Status CgroupTree::remove(const std::string& group) const {
  Status result = ok();
  for (const Hierarchy& hierarchy : hierarchies_) {
    const std::string folder = hierarchy.folder + "/" + group;
    if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) continue;
    kill_members(folder);
    result = errno_error("remove the control group " + quote(folder), errno);
  }
  return result;
}

std::optional<CgroupUsage> CgroupTree::usage(const std::string& group) const {
  CgroupUsage usage;
  if (version_ == Version::kNone) return std::nullopt;
  if (version_ == Version::kV2) {
    const std::string folder = hierarchies_[0].folder + "/" + group;
    const auto cpu = read_file(folder + "/cpu.stat");
    if (!cpu) return std::nullopt;
    usage.cpu_nanoseconds = line_value(*cpu, "usage_usec") * 1000;
    usage.memory = number_in(folder + "/memory.current") -
                   line_value(read_file(folder + "/memory.stat").value_or(""), "inactive_file");
    return usage;
  }
  const Hierarchy* memory = hierarchy_of("memory");
  const Hierarchy* cpu = hierarchy_of("cpuacct");
  if (memory == nullptr || cpu == nullptr || !read_file(cpu->folder + "/" + group + "/cpuacct.usage"))
    return std::nullopt;
  usage.cpu_nanoseconds = number_in(cpu->folder + "/" + group + "/cpuacct.usage");
  usage.memory =
      number_in(memory->folder + "/" + group + "/memory.usage_in_bytes") -
      line_value(read_file(memory->folder + "/" + group + "/memory.stat").value_or(""), "total_inactive_file");
  return usage;
}

std::vector<std::string> CgroupTree::groups() const {
  std::vector<std::string> names;
  if (hierarchies_.empty()) return names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(hierarchies_[0].folder, error)) {
    if (entry.is_directory(error)) names.push_back(entry.path().filename().string());
  }
  return names;
}

}  // namespace muster::linux_os
