#include "agent/metrics/memory_source.h"

#include <algorithm>

#include "shim/format.h"

namespace muster::agent {
namespace {

constexpr int kRest = 20;  // measuring exactly for a second is followed by a pause of 20

class RealMemoryFiles final : public MemoryFiles {
 public:
  explicit RealMemoryFiles(const Loop& loop) : loop_(loop) {}

  std::optional<linux_os::KeptMemory> at_most(pid_t pid) override { return linux_os::kept_memory(pid); }
  std::optional<linux_os::KeptMemory> exact(pid_t pid) override { return linux_os::part_of_memory(pid); }
  std::vector<linux_os::MountedMemory> folders(pid_t pid) override {
    return linux_os::mounted_memory(pid, MUSTER_MEMORY_FOLDER);
  }
  std::optional<std::int64_t> bytes_in(pid_t pid, const linux_os::MountedMemory& folder) override {
    return linux_os::bytes_in(pid, folder);
  }
  MonoTime now() override { return loop_.mono(); }

 private:
  const Loop& loop_;
};

}  // namespace

std::unique_ptr<MemoryFiles> real_memory_files(const Loop& loop) {
  return std::make_unique<RealMemoryFiles>(loop);
}

std::vector<PodReading> MemorySource::read(const std::vector<MeasuredPod>& pods) {
  std::vector<PodReading> readings = others_.read(pods);
  const bool any = std::ranges::any_of(pods, [](const MeasuredPod& pod) { return !pod.memory_limits.empty(); });
  if (!any) {
    folders_.clear();
    rest_until_.clear();
    return readings;
  }
  measure_folders(pods);
  std::erase_if(rest_until_, [&](const auto& entry) {
    return std::ranges::find(pods, entry.first, &MeasuredPod::uid) == pods.end();
  });
  for (PodReading& reading : readings) {
    const auto pod = std::ranges::find(pods, reading.uid, &MeasuredPod::uid);
    if (!pod->memory_limits.empty()) reading.over_memory = over_memory_of(*pod, reading);
  }
  return readings;
}

/// Also the folders of pods without limits are looked at: what they share with a pod that has one is not its own.
void MemorySource::measure_folders(const std::vector<MeasuredPod>& pods) {
  auto before = std::exchange(folders_, {});
  uses_.clear();
  for (const MeasuredPod& pod : pods) {
    for (const auto& [name, pid] : pod.containers) {
      const std::pair<Container, pid_t> key{{pod.uid, name}, pid};
      // A pod cannot mount, so what was there when the container began is there until its end.
      const auto known = before.find(key);
      const Folders& folders =
          folders_.emplace(key, known == before.end() ? files_->folders(pid) : std::move(known->second)).first->second;
      for (const linux_os::MountedMemory& folder : folders) {
        const auto [use, is_new] = uses_.try_emplace(folder.device);
        use->second.containers.insert(key.first);
        if (use->second.bytes == 0) use->second.bytes = files_->bytes_in(pid, folder).value_or(0);
      }
    }
  }
}

/// The bytes of the folders that only this container has; with "" as its name: that only containers of this pod have.
std::int64_t MemorySource::in_folders(const MeasuredPod& pod, const std::string& container) const {
  std::int64_t bytes = 0;
  for (const auto& [device, use] : uses_) {
    const bool is_own = std::ranges::all_of(use.containers, [&](const Container& its) {
      return its.first == pod.uid && (container.empty() || its.second == container);
    });
    if (is_own) bytes += use.bytes;
  }
  return bytes;
}

HeldMemory MemorySource::of_processes(const std::vector<pid_t>& pids, How how) const {
  HeldMemory held;
  for (const pid_t pid : pids) {
    auto memory = how == How::kExact ? files_->exact(pid) : std::nullopt;
    if (!memory) memory = files_->at_most(pid);
    if (!memory) continue;  // it has just ended
    held.anonymous += memory->anonymous;
    held.shared += memory->shared;
  }
  return held;
}

MemoryOfPod MemorySource::measure(const MeasuredPod& pod, const PodReading& reading, How how) const {
  MemoryOfPod memory;
  for (const auto& [container, pids] : reading.processes) {
    HeldMemory held = of_processes(pids, how);
    memory.all.anonymous += held.anonymous;
    memory.all.shared += held.shared;
    if (container.empty()) continue;
    held.folders = in_folders(pod, container);
    memory.containers[container] = held;
  }
  memory.all.folders = in_folders(pod, "");
  return memory;
}

std::vector<OverMemory> MemorySource::over_memory_of(const MeasuredPod& pod, const PodReading& reading) {
  if (over_memory(pod, measure(pod, reading, How::kAtMost)).empty()) return {};
  const MonoTime began = files_->now();
  MonoTime& rest_until = rest_until_[pod.uid];
  if (began < rest_until) return {};
  auto found = over_memory(pod, measure(pod, reading, How::kExact));
  const MonoTime ended = files_->now();
  rest_until = ended + kRest * (ended - began);
  return found;
}

}  // namespace muster::agent
