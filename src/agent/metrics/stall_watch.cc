#include "agent/metrics/stall_watch.h"

#include <fmt/core.h>

#include <algorithm>

namespace muster::agent {
namespace {

// Of a core. A program that only waits still wakes up now and then: torchrun looks after its ranks ten times a second.
constexpr double kIdleShare = 0.05;

bool uses_gpu(const PodReading& reading) {
  return std::ranges::any_of(reading.gpus, [](const node::GpuUsage& gpu) { return gpu.utilisation > 0; });
}

/// Counters decrease when processes end that nobody waits for, which is also a sign of life.
bool uses_cpu(Duration before, Duration now, Duration span) {
  if (span <= Duration(0)) return false;
  return now < before || std::chrono::duration<double>(now - before) > kIdleShare * span;
}

}  // namespace

void StallWatch::take(const PodReading& reading, MonoTime now) {
  if (after_ == Duration(0)) return;
  const auto [found, is_new] = pods_.try_emplace(reading.uid);
  Watched& pod = found->second;
  const bool is_active = !is_new && (reading.last_write != pod.last_write || uses_gpu(reading) ||
                                     uses_cpu(pod.cpu, reading.cpu, now - pod.seen_at));
  if (is_new || is_active) pod.active_at = now;
  const State before = pod.state;
  if (is_active) pod.state = State::kActive;
  if (now - pod.active_at >= after_) pod.state = State::kStalled;
  pod.cpu = reading.cpu;
  pod.last_write = reading.last_write;
  pod.seen_at = now;
  if (pod.state != before) on_change_(reading.uid);
}

std::optional<std::string> StallWatch::stall_of(const std::string& uid) const {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || found->second.state == State::kUnknown) return std::nullopt;
  if (found->second.state == State::kActive) return "";
  return fmt::format("no output, CPU or GPU use for {}", human_duration(after_));
}

}  // namespace muster::agent
