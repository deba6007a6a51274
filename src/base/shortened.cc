#include "base/shortened.h"

namespace muster {

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; };
  while (most > 0 && continues(text[most])) --most;
  return std::string(text.substr(0, most)) + "…";
}

}  // namespace muster
