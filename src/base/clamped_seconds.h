// Bounds a number of seconds that comes from outside, for example from a manifest.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace muster {

/// Clamps to 100 years in either direction, so that adding the result to a Time cannot overflow.
inline Duration clamped_seconds(std::int64_t count) {
  constexpr std::int64_t kCentury = std::int64_t{100} * 365 * 24 * 3600;
  return std::chrono::seconds(std::clamp(count, -kCentury, kCentury));
}

}  // namespace muster
