// Reproducible random numbers: the same seed gives the same sequence on every machine. For tests and simulations only.
#pragma once

#include <cstdint>

#include "base/ports.h"

namespace muster::testing {

class SeededRng final : public Rng {
 public:
  explicit SeededRng(std::uint64_t seed = 1) : state_(seed) {}

  // SplitMix64: every seed is good, zero included.
  std::uint64_t next() override {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// Returns a number in 0 … bound-1.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace muster::testing
