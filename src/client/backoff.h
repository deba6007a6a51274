// How long to wait before asking a server again.
#pragma once

#include <optional>

#include "base/ports.h"

namespace muster::client {

struct Backoff {
  Duration first = std::chrono::milliseconds(100);
  Duration longest = std::chrono::seconds(10);

  /// Doubles with each failure in a row (1, 2, …), and is spread so that many clients do not come back at once: by a
  /// quarter either way, but never to before what the server asked for.
  Duration wait(int failures, std::optional<Duration> retry_after, Rng& rng) const;
};

}  // namespace muster::client
