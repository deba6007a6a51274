// Seconds that somebody else chose.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace muster {

/// A century at most, either way, so that they can be added to any time of ours.
inline Duration clamped_seconds(std::int64_t count) {
  constexpr std::int64_t kCentury = std::int64_t{100} * 365 * 24 * 3600;
  return std::chrono::seconds(std::clamp(count, -kCentury, kCentury));
}

}  // namespace muster
