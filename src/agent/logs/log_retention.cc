#include "agent/logs/log_retention.h"

#include <algorithm>

namespace muster::agent {

std::vector<std::string> pods_to_remove(std::vector<KeptPod> pods, const LogRetention& limits, Time now) {
  std::ranges::sort(pods, std::greater<>(), &KeptPod::deleted);
  std::int64_t bytes = 0;
  std::size_t kept = 0;
  while (kept < pods.size()) {
    bytes += pods[kept].bytes;
    if (kept == limits.keep_pods || bytes > limits.keep_bytes || now - pods[kept].deleted >= limits.keep_for) break;
    ++kept;
  }
  std::vector<std::string> out;
  for (std::size_t i = pods.size(); i > kept; --i) out.push_back(pods[i - 1].uid);
  return out;
}

std::vector<int> runs_to_remove(std::vector<KeptRun> runs, const LogRetention& limits, Time now) {
  constexpr std::size_t kAlways = 2;
  std::ranges::sort(runs, std::greater<>(), &KeptRun::run);
  std::int64_t bytes = 0;
  std::size_t kept = 0;
  while (kept < runs.size()) {
    if (kept > 0) bytes += runs[kept].bytes;  // the last run has its own limit, which the shim enforces
    const bool is_over = bytes > limits.max_bytes_per_container || now - runs[kept].written >= limits.keep_for;
    if (kept >= kAlways && is_over) break;
    ++kept;
  }
  std::vector<int> out;
  for (std::size_t i = runs.size(); i > kept; --i) out.push_back(runs[i - 1].run);
  return out;
}

}  // namespace muster::agent
