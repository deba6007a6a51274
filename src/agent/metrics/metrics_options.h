// How long metrics are kept, and what is read from them.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace muster::agent {

struct MetricsOptions {
  Duration history = std::chrono::hours(24);          // of a pod, at the coarse step
  Duration keep_ended = std::chrono::hours(7 * 24);   // after the pod ended
  std::int64_t max_bytes = std::int64_t{256} << 20;   // of all files together, oldest removed first
  Duration stalled_after = std::chrono::minutes(10);  // without activity; 0: never
};

}  // namespace muster::agent
