// Bounds on what one object may ask for.
#pragma once

#include <cstdint>

namespace muster::api {

/// Replicas of one job, of one of its roles, or of a Deployment. Each replica is a pod that controllers, scheduler and
/// agent look at, so a number without a bound would let one manifest take all of the engine's time and memory.
inline constexpr std::int64_t kMaxReplicas = 10'000;

}  // namespace muster::api
