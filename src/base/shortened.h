// Shortens client input that is quoted in a message.
#pragma once

#include <string>
#include <string_view>

namespace muster {

inline constexpr std::size_t kLongestEcho = 512;

/// Returns the text, or the beginning of a longer one followed by "…". Never cuts a character.
std::string shortened(std::string_view text, std::size_t most = kLongestEcho);

}  // namespace muster
