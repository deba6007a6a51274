// Names and tokens made of chance, from the kernel or from a given Rng.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/ports.h"

namespace muster {

/// The kernel's generator, asked for a handful at a time. One thread.
class SystemRng final : public Rng {
 public:
  std::uint64_t next() override;

 private:
  std::array<std::uint64_t, 32> drawn_{};
  std::size_t left_ = 0;
};

std::string make_uuid(Rng& rng);
/// The five characters that generateName adds, from Kubernetes' alphabet without vowels.
std::string make_name_suffix(Rng& rng);
/// Lower-case hex digits, for bearer tokens.
std::string make_token(Rng& rng);

}  // namespace muster
