// Which logs are removed. Pure; the limits are in agent.h, the files in log_shelf.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/settings/options.h"
#include "base/time.h"

namespace muster::agent {

/// The folder of a pod that is deleted.
struct KeptPod {
  std::string uid;
  Time deleted;
  std::int64_t bytes = 0;
};
/// Returns the pods whose folders are to go: those over the limits, the oldest first.
std::vector<std::string> pods_to_remove(std::vector<KeptPod> pods, const LogRetention& limits, Time now);

/// The log of one run of a container.
struct KeptRun {
  int run = 0;
  Time written;
  std::int64_t bytes = 0;
};
/// Returns the runs of one container whose logs are to go. The last run and the one before, which `--previous` shows,
/// always stay while the pod exists.
std::vector<int> runs_to_remove(std::vector<KeptRun> runs, const LogRetention& limits, Time now);

}  // namespace muster::agent
