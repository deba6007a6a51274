#include "json/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include "base/strings.h"
#include "json/number.h"

namespace muster::json {
namespace {

constexpr std::array<std::string_view, 5> kNulls = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 9> kTrues = {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"};
constexpr std::array<std::string_view, 9> kFalses = {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 3> kInfinities = {".inf", ".Inf", ".INF"};
constexpr std::array<std::string_view, 3> kNans = {".nan", ".NaN", ".NAN"};

bool one_of(std::string_view text, const auto& words) {
  return std::ranges::find(words, text) != words.end();
}

std::size_t count_digits(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? text.size() : end;
}

/// Accepts digits with at most one point, at least one digit around it, and an optional exponent.
bool is_decimal(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  const std::size_t whole = count_digits(text);
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t fraction = count_digits(text);
    if (whole + fraction == 0) return false;
    text.remove_prefix(fraction);
  } else if (whole == 0) {
    return false;
  }
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && count_digits(text) == text.size();
}

/// Reads 0x1F, 0b101, 0o17 and 017, with an optional sign; nullopt for decimals and everything else.
std::optional<Document> based_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.size() < 2 || text[0] != '0') return std::nullopt;
  int base = 8;
  std::size_t prefix = 2;
  switch (text[1]) {
    case 'x':
    case 'X':
      base = 16;
      break;
    case 'b':
    case 'B':
      base = 2;
      break;
    case 'o':
    case 'O':
      break;
    default:
      prefix = 1;
  }
  text.remove_prefix(prefix);
  std::uint64_t magnitude = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, magnitude, base);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (magnitude <= kMax) {
    const auto value = static_cast<std::int64_t>(magnitude);
    return Document(negative ? -value : value);
  }
  const auto value = static_cast<double>(magnitude);
  return Document(negative ? -value : value);
}

}  // namespace

Document resolve_plain(std::string_view text) {
  if (one_of(text, kNulls)) return Document();
  if (one_of(text, kTrues)) return Document(true);
  if (one_of(text, kFalses)) return Document(false);
  const char first = text[0];
  const bool is_signed = first == '-' || first == '+';
  if (!is_signed && !is_digit(first) && first != '.') return Document(text);
  if (one_of(text.substr(is_signed ? 1 : 0), kInfinities)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return Document(first == '-' ? -infinity : infinity);
  }
  if (one_of(text, kNans)) return Document(std::numeric_limits<double>::quiet_NaN());
  std::string digits(text);
  std::erase(digits, '_');
  if (const std::optional<Document> integer = based_integer(digits)) return *integer;
  if (!is_decimal(digits)) return Document(text);
  const std::optional<Document> number = number_from_text(digits);
  return number ? *number : Document(text);
}

}  // namespace muster::json
