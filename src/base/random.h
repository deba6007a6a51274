// Names and tokens made of chance, from the kernel or from a given Rng.
#pragma once

#include <string>

#include "base/ports.h"

namespace muster {

/// The kernel's generator.
class SystemRng final : public Rng {
 public:
  std::uint64_t next() override;
};

std::string make_uuid(Rng& rng);
/// The five characters that generateName adds, from Kubernetes' alphabet without vowels.
std::string make_name_suffix(Rng& rng);
/// Lower-case hex digits, for bearer tokens.
std::string make_token(Rng& rng);

}  // namespace muster
