// Backoff: how long to wait before a retry.
#pragma once

#include <optional>

#include "base/ports.h"

namespace muster::client {

struct Backoff {
  Duration first = std::chrono::milliseconds(100);
  Duration longest = std::chrono::seconds(10);

  /// The wait doubles with each consecutive failure (1, 2, …). Jitter of a quarter either way keeps many clients from
  /// returning at once, but the wait is never shorter than what the server asked for.
  Duration wait(int failures, std::optional<Duration> retry_after, Rng& rng) const;
};

}  // namespace muster::client
