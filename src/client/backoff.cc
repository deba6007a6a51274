#include "client/backoff.h"

#include <algorithm>

namespace muster::client {
namespace {

/// A random part of the duration, from zero up to all of it.
Duration some_of(Duration whole, Rng& rng) {
  return whole * static_cast<std::int64_t>(rng.next() % 1000) / 1000;
}

}  // namespace

Duration Backoff::wait(int failures, std::optional<Duration> retry_after, Rng& rng) const {
  Duration own = first;
  for (int i = 1; i < failures && own < longest; ++i) own *= 2;
  own = std::min(own, longest);
  own = own * 3 / 4 + some_of(own / 2, rng);
  if (!retry_after) return own;
  return std::max(own, *retry_after + some_of(*retry_after / 4, rng));
}

}  // namespace muster::client
