// SHA-256, for names and tags that are functions of longer texts.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// The digest as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace muster
