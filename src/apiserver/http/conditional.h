// Conditional requests and ranges of RFC 9110. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace muster::apiserver {

/// Whether an If-None-Match or If-Match header names this ETag; weak ones compare as strong ones.
bool names_etag(std::string_view header, std::string_view etag);

/// A part of a file.
struct ByteRange {
  std::int64_t first = 0;
  std::int64_t size = 0;
  bool operator==(const ByteRange&) const = default;
};
/// Reads `bytes=2-5`, `bytes=2-` and `bytes=-5` for a file of this size. Returns nullopt when the whole file is to be
/// sent: there is no header, or it asks for several ranges or in another form. BadRequest when no byte of the file lies
/// in the range.
Result<std::optional<ByteRange>> parse_range(std::string_view header, std::int64_t file_size);

}  // namespace muster::apiserver
