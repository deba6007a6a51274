#include "agent/launch/gpus.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "agent/launch/limits.h"
#include "api/muster/names.h"
#include "base/files.h"
#include "base/strings.h"
#include "linux/files.h"

namespace muster::agent {
namespace {

using json::Document;

// What every CUDA program opens besides its device; nodes that this machine does not have are not needed.
constexpr const char* kSharedNodes[] = {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools",
                                        "/dev/nvidia-caps"};

std::int64_t gpus_of(const Document& container) {
  auto amount = resource_of(container, "limits", kGpuResource);
  if (!amount) amount = resource_of(container, "requests", kGpuResource);
  return amount ? amount->value() : 0;
}

/// The manifest's own value would name devices as another machine counts them.
void set_variable(LaunchContainer& container, const char* name, const std::string& value,
                  std::vector<PodEvent>& events) {
  const auto found = std::ranges::find(container.env, name, &std::pair<std::string, std::string>::first);
  if (found == container.env.end()) {
    container.env.emplace_back(name, value);
    return;
  }
  if (found->second != value) {
    events.push_back({"Warning", "VariableReplaced",
                      fmt::format("container {}: {} is {} in the manifest, and set to {}: the container sees only the "
                                  "devices that it was given",
                                  quote(container.name), name, quote(found->second), quote(value))});
  }
  found->second = value;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::string& line : split(text, '\n')) {
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

/// Images and manifests often say `all`, and programs then look for devices that the container does not have.
void hide_choice(LaunchContainer& container, std::vector<PodEvent>& events) {
  constexpr std::string_view kName = "NVIDIA_VISIBLE_DEVICES";
  const auto chosen = std::ranges::find(container.env, kName, &std::pair<std::string, std::string>::first);
  if (chosen == container.env.end() || chosen->second == "void" || chosen->second == "none") return;
  events.push_back({"Warning", "GPUs",
                    fmt::format("container {}: {}={} is not passed on: it requests no GPU", quote(container.name),
                                kName, quote(chosen->second))});
  container.env.erase(chosen);
}

bool is_local_rank(const Document& pod) {
  return pod.string_at("metadata", "annotations", api::kLocalRanksAnnotation) == "true";
}

/// The rank of a pod's process, by which the ranks of a job are in order; -1 without one.
std::int64_t rank_of(const Document& pod) {
  for (const Document& container : pod.array_at("spec", "containers")) {
    for (const Document& variable : container.array_at("env")) {
      if (variable.string_at("name") == "RANK") return parse_int(variable.string_at("value")).value_or(-1);
    }
  }
  return -1;
}

}  // namespace

GpuDemand gpu_demand(const Document& pod) {
  GpuDemand demand;
  for (const Document& container : pod.array_at("spec", "containers")) {
    const std::int64_t count = gpus_of(container);
    demand.by_container[container.string_at("name")] = count;
    demand.of_pod += count;
  }
  for (const Document& container : pod.array_at("spec", "initContainers")) {
    const std::int64_t count = gpus_of(container);
    demand.by_container[container.string_at("name")] = count;
    demand.of_pod = std::max(demand.of_pod, count);
  }
  return demand;
}

const GpuDevice* Gpus::find(const std::string& id) const {
  const auto found = std::ranges::find(devices_, id, &GpuDevice::id);
  return found == devices_.end() ? nullptr : &*found;
}

std::vector<std::string> Gpus::free_devices() const {
  std::set<std::string> taken;
  for (const auto& [uid, ids] : held_) taken.insert(ids.begin(), ids.end());
  std::vector<std::string> free;
  for (const GpuDevice& device : devices_) {
    if (!taken.contains(device.id)) free.push_back(device.id);
  }
  return free;
}

std::vector<std::string> Gpus::held_by(const std::string& uid) const {
  const auto found = held_.find(uid);
  return found == held_.end() ? std::vector<std::string>() : found->second;
}

Status Gpus::lock(const std::string& id, std::vector<Fd>& taken) const {
  if (!shares_ || !is_real_device(id)) return ok();
  TRY_ASSIGN(Fd fd, locks_.take(id));
  taken.push_back(std::move(fd));
  return ok();
}

/// Called again after a crash or a failed start, it returns the same devices.
Result<std::vector<std::string>> Gpus::hold(const std::string& uid, std::int64_t count) {
  if (std::vector<std::string> ids = held_by(uid); std::cmp_equal(ids.size(), count)) return ids;
  release(uid);
  const std::vector<std::string> free = free_devices();
  std::vector<std::string> ids;
  std::vector<Fd> locks;
  std::string why;  // a device that is free here is not had
  for (const std::string& id : free) {
    if (std::cmp_equal(ids.size(), count)) break;
    if (const Status locked = lock(id, locks); locked) {
      ids.push_back(id);
    } else {
      why += "; " + locked.error().message;
    }
  }
  if (std::cmp_less(ids.size(), count)) {
    return Error{
        .reason = Reason::kServiceUnavailable,
        .message = fmt::format("needs {} {}, {} of {} free{}", count, kGpuResource, ids.size(), devices_.size(), why)};
  }
  // Not synced: after a power failure no pod holds anything.
  TRY(linux_os::overwrite_file(paths_.gpus(uid), join(ids, "\n"), 0600));
  held_[uid] = ids;
  held_locks_[uid] = std::move(locks);
  return ids;
}

/// The devices of all ranks, in the order of ranks, so that local rank 1 finds its own at cuda:1. Those of ranks that
/// start later are held for them now.
Result<std::vector<std::string>> Gpus::hold_of_job(const Document& pod) {
  auto gang = gang_of_(pod);
  std::ranges::stable_sort(gang, {}, [](const auto& each) { return rank_of(*each); });
  std::vector<std::string> all;
  for (const auto& each : gang) {
    if (!is_local_rank(*each)) continue;
    const std::string& uid = each->string_at("metadata", "uid");
    TRY(make_directories(paths_.pod(uid), 0700));
    TRY_ASSIGN(const std::vector<std::string> ids, hold(uid, gpu_demand(*each).of_pod));
    all.insert(all.end(), ids.begin(), ids.end());
  }
  return all;
}

Status Gpus::prepare(const Document& pod, LaunchPlan& plan) {
  const GpuDemand demand = gpu_demand(pod);
  for (LaunchContainer& container : plan.launch.containers) {
    const auto count = demand.by_container.find(container.name);
    if (count == demand.by_container.end() || count->second == 0) hide_choice(container, plan.events);
  }
  if (demand.of_pod == 0) return ok();
  TRY_ASSIGN(const std::vector<std::string> ids, hold(pod.string_at("metadata", "uid"), demand.of_pod));
  for (const Fd& lock : held_locks_[pod.string_at("metadata", "uid")]) plan.locks.push_back(lock.get());
  if (is_local_rank(pod)) {
    TRY_ASSIGN(const std::vector<std::string> all, hold_of_job(pod));
    for (LaunchContainer& container : plan.launch.containers) {
      if (demand.by_container.at(container.name) > 0) give(all, container, plan.events);
    }
    return ok();
  }
  auto next = ids.begin();
  for (LaunchContainer& container : plan.launch.containers) {
    const auto count = demand.by_container.find(container.name);
    if (count == demand.by_container.end() || count->second == 0) continue;
    const auto first = container.is_init ? ids.begin() : next;
    give({first, first + count->second}, container, plan.events);
    if (!container.is_init) next = first + count->second;
  }
  return ok();
}

void Gpus::give(const std::vector<std::string>& ids, LaunchContainer& container, std::vector<PodEvent>& events) const {
  std::vector<std::string> ordinals;
  for (const std::string& id : ids) {
    ordinals.push_back(std::to_string(ordinals.size()));
    const GpuDevice* device = find(id);
    if (device != nullptr && device->minor) container.devices.push_back(fmt::format("/dev/nvidia{}", *device->minor));
  }
  if (!container.devices.empty()) {
    for (const char* node : kSharedNodes) {
      if (::access(node, F_OK) == 0) container.devices.emplace_back(node);
    }
  }
  set_variable(container, "CUDA_VISIBLE_DEVICES", join(ordinals, ","), events);
  set_variable(container, "NVIDIA_VISIBLE_DEVICES", join(ids, ","), events);
  events.push_back({"Normal", "GPUs", fmt::format("container {} has {}", quote(container.name), join(ids, ", "))});
}

void Gpus::recover(const std::string& uid) {
  auto ids = lines_of(read_file(paths_.gpus(uid)).value_or(""));
  if (ids.empty()) return;
  // The pod's processes have the locks already, unless an older engine started them.
  for (const std::string& id : ids) [[maybe_unused]] const Status own = lock(id, held_locks_[uid]);
  held_[uid] = std::move(ids);
}

void Gpus::release(const std::string& uid) {
  held_.erase(uid);
  held_locks_.erase(uid);
  ::unlink(paths_.gpus(uid).c_str());  // most pods have none
}

}  // namespace muster::agent
