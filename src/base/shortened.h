// What a client sent, cut to what belongs into a message about it.
#pragma once

#include <string>
#include <string_view>

namespace muster {

inline constexpr std::size_t kLongestEcho = 512;

/// The text, or the beginning of a longer one and "…". Does not end inside a character.
std::string shortened(std::string_view text, std::size_t most = kLongestEcho);

}  // namespace muster
