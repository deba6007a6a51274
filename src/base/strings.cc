#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/visible_text.h"

namespace muster {
namespace {

constexpr std::string_view kBase64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_alnum(char c) {
  return is_lower(c) || is_upper(c) || is_digit(c);
}
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
char lower(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The number of letters to insert, delete, replace or swap with a neighbour to turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

/// Accepts up to 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends.
bool is_name_part(std::string_view text) {
  if (text.empty() || text.size() > 63 || !is_alnum(text.front()) || !is_alnum(text.back())) return false;
  return std::ranges::all_of(text, [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

int base64_digit(char c) {
  if (is_upper(c)) return c - 'A';
  if (is_lower(c)) return c - 'a' + 26;
  if (is_digit(c)) return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<bool> parse_bool(std::string_view text) {
  const std::string word = to_lower(text);
  if (word == "true" || word == "t" || word == "1") return true;
  if (word == "false" || word == "f" || word == "0") return false;
  return std::nullopt;
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const Escape escape = escape_at(text.substr(i));
    if (text[i] == '"' || text[i] == '\\') out += '\\';
    out += escape.text.empty() ? text.substr(i, escape.length) : escape.text;
    i += escape.length;
  }
  return out += '"';
}

bool wildcard_match(std::string_view pattern, std::string_view text) {
  // On a mismatch the latest star takes one more character; earlier stars never need to change again.
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_end = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_end = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

namespace {

/// Completes a word that was cut short, "repl" to "replicaSpecs", given three letters and only one candidate.
std::optional<std::string> only_one_beginning_with(const std::string& typed,
                                                   const std::vector<std::string>& candidates) {
  std::optional<std::string> only;
  if (typed.size() < 3) return only;
  for (const std::string& candidate : candidates) {
    if (!to_lower(candidate).starts_with(typed) || candidate == only) continue;
    if (only) return std::nullopt;
    only = candidate;
  }
  return only;
}

}  // namespace

std::optional<std::string> did_you_mean(std::string_view typed, const std::vector<std::string>& candidates) {
  const std::string typed_lower = to_lower(typed);
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    if (candidate.empty()) continue;
    const std::size_t allowed = candidate.size() / 3;
    // The difference in length alone rules out most pairs, and keeps a huge typed word cheap.
    if (typed.size() > candidate.size() + allowed || candidate.size() > typed.size() + allowed) continue;
    const std::size_t distance = edit_distance(typed_lower, to_lower(candidate));
    if (distance > allowed || (best && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best ? best : only_one_beginning_with(typed_lower, candidates);
}

bool is_dns_label(std::string_view text) {
  if (text.empty() || text.size() > 63 || text.front() == '-' || text.back() == '-') return false;
  return std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  // Kubernetes bounds only the whole name, not each label.
  for (const std::string& label : split(text, '.')) {
    if (label.empty() || label.front() == '-' || label.back() == '-') return false;
    const bool plain = std::ranges::all_of(label, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
    if (!plain) return false;
  }
  return true;
}

bool is_label_value(std::string_view text) {
  return text.empty() || is_name_part(text);
}

bool is_qualified_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_name_part(text);
  return is_dns_subdomain(text.substr(0, slash)) && is_name_part(text.substr(slash + 1));
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= group.size() ? kBase64Alphabet[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

namespace {

/// Sets `left` to the bits that padding leaves over.
std::optional<std::string> decode_base64(std::string_view text, std::uint32_t& left) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const int digit = base64_digit(c);
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>(bits >> held & 0xff);
    }
  }
  left = bits & ((1U << held) - 1);
  return out;
}

}  // namespace

std::optional<std::string> base64_decode(std::string_view text) {
  std::uint32_t left = 0;
  auto out = decode_base64(text, left);
  // The bits left over must be zero, or two texts would stand for the same bytes.
  return left != 0 ? std::nullopt : out;
}

std::optional<std::string> base64_decode_leniently(std::string_view text) {
  std::uint32_t left = 0;
  if (text.find_first_of("\r\n") == std::string_view::npos) return decode_base64(text, left);
  std::string joined(text);
  std::erase_if(joined, [](char c) { return c == '\r' || c == '\n'; });
  return decode_base64(joined, left);
}

}  // namespace muster
