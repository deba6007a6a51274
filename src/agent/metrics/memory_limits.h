// Which containers use more memory than their limit, where no control groups enforce it. Pure.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agent/metrics/usage_source.h"

namespace muster::agent {

/// What a container or a pod holds in memory, as far as it is known.
struct HeldMemory {
  std::int64_t anonymous = 0;  // of its processes
  std::int64_t shared = 0;     // shared memory that its processes have mapped
  std::int64_t folders = 0;    // in folders in memory that nobody else has: /tmp, /dev/shm, emptyDir

  /// A file of such a folder may be mapped as well, and counts once. So this is never more than what is held.
  std::int64_t bytes() const { return anonymous + std::max(shared, folders); }
};

/// The containers of one pod that run, and the pod: that also has the processes and folders that none of its
/// containers has alone.
struct MemoryOfPod {
  std::map<std::string, HeldMemory> containers;
  HeldMemory all;
};

/// The limit of the containers together; 0 when one of those that run has none.
std::int64_t limit_of_pod(const MeasuredPod& pod);
/// Returns each container that is over its limit. When none is, but the pod uses more than the limits of all of its
/// containers together, returns the container that is nearest to its own limit: one must go.
std::vector<OverMemory> over_memory(const MeasuredPod& pod, const MemoryOfPod& memory);

}  // namespace muster::agent
