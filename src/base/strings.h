// Small text functions that more than one module uses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);
/// Reads the whole text as a decimal number; nullopt when it is not one or is out of range.
std::optional<std::int64_t> parse_int(std::string_view text);
/// Accepts true, t and 1, false, f and 0, in any case.
std::optional<bool> parse_bool(std::string_view text);
/// Puts the text in double quotes and escapes control characters, quotes and backslashes.
std::string quote(std::string_view text);
/// In the pattern, `*` matches any run of characters.
bool wildcard_match(std::string_view pattern, std::string_view text);

/// The candidate that was probably meant: at most a third of its letters differ; nullopt when none is close.
std::optional<std::string> did_you_mean(std::string_view typed, const std::vector<std::string>& candidates);

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_dns_label(std::string_view text);      // RFC 1123: up to 63 of [a-z0-9-]
bool is_dns_subdomain(std::string_view text);  // labels joined by dots, up to 253
bool is_label_value(std::string_view text);
bool is_qualified_name(std::string_view text);  // [prefix/]name, the key of a label or annotation

std::string hex(std::string_view bytes);
std::string base64_encode(std::string_view bytes);
std::optional<std::string> base64_decode(std::string_view text);
/// As base64_decode, but ignores line ends and the bits that padding leaves over, as Go does.
std::optional<std::string> base64_decode_leniently(std::string_view text);

}  // namespace muster
