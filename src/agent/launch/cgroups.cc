#include "agent/launch/cgroups.h"

#include <unistd.h>

#include <vector>

#include "agent/launch/limits.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"
#include "linux/files.h"

namespace muster::agent {
namespace {

constexpr Duration kRemoveAgain = std::chrono::milliseconds(100);

/// Each line of the file is the folder of a group. An engine that was started elsewhere may have another place for its
/// groups, so names alone do not find them.
std::vector<std::string> folders_in(const std::string& file) {
  std::vector<std::string> folders;
  for (std::string& line : split(read_file(file).value_or(""), '\n')) {
    if (!line.empty()) folders.push_back(std::move(line));
  }
  return folders;
}

/// Also without control groups, no folder in memory is larger than the limits of memory: /tmp and /dev/shm of a
/// container that has one, and emptyDir volumes of a pod whose containers all have one.
void limit_folders_in_memory(const std::map<std::string, linux_os::CgroupLimits>& limits, Launch& launch) {
  std::int64_t all = 0;
  bool all_have_one = true;
  for (LaunchContainer& container : launch.containers) {
    const auto found = limits.find(container.name);
    container.memory = found == limits.end() ? 0 : found->second.memory.value_or(0);
    all += container.memory;
    all_have_one = all_have_one && container.memory > 0;
  }
  if (!all_have_one) return;
  for (LaunchVolume& volume : launch.volumes) {
    auto* folder = std::get_if<MemoryFolder>(&volume.source);
    if (folder != nullptr && (folder->size_limit == 0 || folder->size_limit > all)) folder->size_limit = all;
  }
}

}  // namespace

Cgroups::Cgroups(Loop& loop, const Paths& paths, const Machine& machine, std::int64_t processes)
    : loop_(loop), paths_(paths), machine_(machine), processes_(processes) {}

Status Cgroups::prepare(const json::Document& pod, LaunchPlan& plan) {
  const linux_os::CgroupTree& tree = machine_.cgroups;
  for (LaunchContainer& container : plan.launch.containers) container.processes = processes_;
  auto limits = limits_by_container(pod, machine_);
  limit_folders_in_memory(limits, plan.launch);
  if (const std::string why = unenforced(limits, tree); !why.empty())
    plan.events.push_back({"Warning", "LimitsNotEnforced", why + "; see muster doctor"});
  if (limits.empty() || tree.version() == linux_os::CgroupTree::Version::kNone) return ok();

  const std::string& uid = pod.string_at("metadata", "uid");
  const auto group_of = [&uid](const std::string& container) { return uid + "." + container; };
  std::vector<std::string> folders;
  for (const auto& [container, its_limits] : limits) {
    for (std::string& folder : tree.folders(group_of(container))) folders.push_back(std::move(folder));
  }
  // First the file: a crash leaves no group behind that it does not name.
  TRY(linux_os::overwrite_file(paths_.cgroups(uid), join(folders, "\n"), 0600));
  for (LaunchContainer& container : plan.launch.containers) {
    const auto found = limits.find(container.name);
    if (found == limits.end()) continue;
    found->second.processes = processes_;
    TRY(tree.create(group_of(container.name), found->second));
    container.cgroup = tree.entry(group_of(container.name));
  }
  return ok();
}

void Cgroups::release(const std::string& uid) {
  remove(paths_.cgroups(uid));
}

void Cgroups::remove(const std::string& file) {
  const auto folders = folders_in(file);
  if (folders.empty()) return;
  const auto removed = linux_os::remove_groups(folders);
  if (removed) {
    ::unlink(file.c_str());
    return;
  }
  LOG_DEBUG("control groups not removed yet", {"error", removed.error().message});
  loop_.after(kRemoveAgain, lifetime_.guard([this, file] { remove(file); }));
}

}  // namespace muster::agent
