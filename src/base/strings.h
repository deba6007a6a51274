// Small text functions used by more than one module.
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
/// Whole string, decimal, in range; nullopt otherwise.
std::optional<std::int64_t> parse_int(std::string_view text);
/// In double quotes, with control characters, quotes and backslashes escaped.
std::string quote(std::string_view text);
/// `*` matches any run of characters.
bool wildcard_match(std::string_view pattern, std::string_view text);

/// The candidate a typist most likely meant: at most a third of its letters differ; nullopt when none is near.
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
/// The same, past line ends and bits that padding leaves over, as Go reads it.
std::optional<std::string> base64_decode_leniently(std::string_view text);

}  // namespace muster
