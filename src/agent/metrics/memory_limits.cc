#include "agent/metrics/memory_limits.h"

#include <fmt/core.h>

#include <algorithm>

#include "agent/disk/disk_space.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

/// A few bytes more than the limit must not look like the limit.
std::string rounded_up(std::int64_t bytes) {
  constexpr std::int64_t kMebi = std::int64_t{1} << 20;
  return size_text((bytes + kMebi - 1) / kMebi * kMebi);
}

OverMemory over(const MeasuredPod& pod, const std::string& container, std::string message) {
  return {.container = container, .pid = pod.containers.at(container), .message = std::move(message)};
}

}  // namespace

std::int64_t limit_of_pod(const MeasuredPod& pod) {
  std::int64_t sum = 0;
  for (const auto& [name, pid] : pod.containers) {
    const auto limit = pod.memory_limits.find(name);
    if (limit == pod.memory_limits.end()) return 0;
    sum += limit->second;
  }
  return sum;
}

std::vector<OverMemory> over_memory(const MeasuredPod& pod, const MemoryOfPod& memory) {
  std::vector<OverMemory> found;
  std::string nearest;
  double most = -1;
  for (const auto& [name, held] : memory.containers) {
    const auto limit = pod.memory_limits.find(name);
    if (limit == pod.memory_limits.end() || limit->second <= 0 || !pod.containers.contains(name)) continue;
    if (held.bytes() > limit->second) {
      found.push_back(over(pod, name,
                           fmt::format("Container {} exceeded its memory limit: it used {} of {} when the engine "
                                       "measured it, and this machine has no control groups that would have stopped it",
                                       name, rounded_up(held.bytes()), size_text(limit->second))));
    }
    const double part = static_cast<double>(held.bytes()) / static_cast<double>(limit->second);
    if (part > most) nearest = name;
    most = std::max(most, part);
  }
  const std::int64_t together = limit_of_pod(pod);
  if (!found.empty() || nearest.empty() || together == 0 || memory.all.bytes() <= together) return found;
  return {over(pod, nearest,
               fmt::format("The containers of the pod exceeded their memory limits together: they used {} of {} when "
                           "the engine measured them; {} was nearest to its own limit",
                           rounded_up(memory.all.bytes()), size_text(together), nearest))};
}

}  // namespace muster::agent
