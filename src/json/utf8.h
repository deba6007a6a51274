// UTF-8 as Unicode defines it: shortest form only, no surrogates. The parsers and writers of this folder share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace muster::json {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: no valid sequence starts here
};

/// The first character of a text, which must not be empty.
CodePoint decode_utf8(std::string_view text);

/// Offset of the first byte that belongs to no valid character; npos when there is none.
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace muster::json
