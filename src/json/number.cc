#include "json/number.h"

#include <charconv>
#include <cmath>

namespace muster::json {

std::optional<Document> number_from_text(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc() && read.ptr == end) {
    return Document(whole);
  }
  double value = 0;
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ptr != end || text.empty()) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) {
    // Underflow is zero, overflow is not a number. from_chars reports both alike, so the exponent's sign decides.
    const std::size_t mark = text.find_first_of("eE");
    const bool tiny = mark != std::string_view::npos ? text.substr(mark + 1).starts_with('-')
                                                     : text.find('.') != std::string_view::npos;
    return tiny ? std::optional(Document(0)) : std::nullopt;
  }
  if (read.ec != std::errc() || !std::isfinite(value)) return std::nullopt;
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (std::trunc(value) == value && value >= -kLimit && value < kLimit) {
    return Document(static_cast<std::int64_t>(value));
  }
  return Document(value);
}

}  // namespace muster::json
