// Limits on what a single object may request.
#pragma once

#include <cstdint>

namespace muster::api {

/// The maximum for a job, for one of its roles and for a Deployment. Each replica is a pod that controllers, scheduler
/// and agent process, so without a limit one manifest could use up the engine's time and memory.
inline constexpr std::int64_t kMaxReplicas = 10'000;

}  // namespace muster::api
