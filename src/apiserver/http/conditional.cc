#include "apiserver/http/conditional.h"

#include <fmt/core.h>

#include <algorithm>

#include "apiserver/errors/status_error.h"
#include "base/strings.h"

namespace muster::apiserver {

bool names_etag(std::string_view header, std::string_view etag) {
  for (const std::string& part : split(header, ',')) {
    std::string_view one = trim(part);
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == etag || one == "*") return true;
  }
  return false;
}

Result<std::optional<ByteRange>> parse_range(std::string_view header, std::int64_t file_size) {
  constexpr std::string_view kUnit = "bytes=";
  const std::optional<ByteRange> whole;
  const std::size_t dash = header.find('-');
  if (!header.starts_with(kUnit) || dash == std::string_view::npos) return whole;
  const std::string_view left = trim(header.substr(kUnit.size(), dash - kUnit.size()));
  const std::string_view right = trim(header.substr(dash + 1));
  const auto from = parse_int(left);
  const auto to = parse_int(right);
  const bool is_readable = (from || left.empty()) && (to || right.empty()) && (from || to);
  if (!is_readable || (to && *to < 0) || (from && to && *to < *from)) return whole;
  const std::int64_t first = from ? *from : std::max<std::int64_t>(0, file_size - *to);
  const std::int64_t last = from && to ? std::min(*to, file_size - 1) : file_size - 1;
  if (first > last) return bad_request(fmt::format("Range: the file has {} bytes, got {}", file_size, quote(header)));
  return std::optional(ByteRange{.first = first, .size = last - first + 1});
}

}  // namespace muster::apiserver
