#include "net/http.h"

#include <algorithm>

#include "base/strings.h"
#include "net/message_text.h"

namespace muster::net {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

/// Digits of a number that a port can have; a Host header may also have none.
bool is_port(std::string_view text) {
  constexpr std::int64_t kLargest = 65535;
  return std::ranges::all_of(text, is_digit) && (text.empty() || parse_int(text).value_or(kLargest + 1) <= kLargest);
}

bool unreserved(char c) {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '-' || c == '_' || c == '.' || c == '~';
}

}  // namespace

std::string_view Headers::get(std::string_view name) const {
  for (const auto& [key, value] : items_) {
    if (same_name(key, name)) return value;
  }
  return {};
}

std::size_t Headers::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(items_, [&](const auto& item) { return same_name(item.first, name); }));
}

bool may_repeat(const Request& request) {
  if (request.streams_body || asks_for_upgrade(request.headers)) return false;
  return request.repeatable || request.method == "GET" || request.method == "HEAD";
}

bool asks_for_upgrade(const Headers& headers) {
  const auto words = split(headers.get("Connection"), ',');
  return headers.has("Upgrade") &&
         std::ranges::any_of(words, [](const auto& word) { return same_name(trim(word), "upgrade"); });
}

void Headers::set(std::string name, std::string value) {
  std::erase_if(items_, [&](const auto& item) { return same_name(item.first, name); });
  add(std::move(name), std::move(value));
}

void Headers::add(std::string name, std::string value) {
  items_.emplace_back(std::move(name), std::move(value));
}

bool is_header_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return is_control(c); });
}

std::optional<std::string> host_name(std::string_view host) {
  host = trim(host);
  const bool bracketed = host.starts_with('[');
  const std::size_t end = bracketed ? host.find(']') : host.find(':');
  if (bracketed && end == std::string_view::npos) return std::nullopt;
  std::string_view port = end == std::string_view::npos ? "" : host.substr(end + (bracketed ? 1 : 0));
  if (!port.empty() && (port.front() != ':' || !is_port(port.substr(1)))) return std::nullopt;
  return to_lower(bracketed ? host.substr(1, end - 1) : host.substr(0, end));
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  if (text.find_first_of(plus_is_space ? "%+" : "%") == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

std::string percent_encode(std::string_view text) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (unreserved(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

}  // namespace muster::net
