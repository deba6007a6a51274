// SHA-256, for names that are functions of longer names. Not for secrets in bulk: plain, table-free speed is enough
// here.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// The digest as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace muster
