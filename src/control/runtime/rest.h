// The pace of work that costs time in proportion to everything it looks at, while every change of a part requests it.
#pragma once

#include <algorithm>

#include "base/time.h"

namespace muster::control {

/// Returns how long such work rests before it runs again: ten times as long as it took, so that it takes a small part
/// of the loop's time however many objects exist, and at most a second.
inline Duration rest_after(Duration took) {
  return std::min<Duration>(took * 10, std::chrono::seconds(1));
}

}  // namespace muster::control
