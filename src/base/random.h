// Random names and tokens, made from the kernel's generator or from a given Rng.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/ports.h"

namespace muster {

/// The kernel's generator, read in batches. It is used by one thread only.
class SystemRng final : public Rng {
 public:
  std::uint64_t next() override;

 private:
  std::array<std::uint64_t, 32> drawn_{};
  std::size_t left_ = 0;
};

std::string make_uuid(Rng& rng);
/// The five characters that generateName appends, from Kubernetes' alphabet without vowels.
std::string make_name_suffix(Rng& rng);
/// A bearer token, in lower-case hex digits.
std::string make_token(Rng& rng);

}  // namespace muster
