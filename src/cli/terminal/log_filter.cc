#include "cli/terminal/log_filter.h"

#include <algorithm>
#include <utility>

#include "base/visible_text.h"

namespace muster::cli {

namespace {

constexpr std::size_t kLongestColor = 32;

/// Returns the length of the colour sequence (ESC [ numbers m) at the start of `text`; 0 when there is none, npos when
/// it is incomplete.
std::size_t color_length(std::string_view text) {
  if (text.size() == 1) return std::string_view::npos;
  if (text[1] != '[') return 0;
  for (std::size_t i = 2; i < std::min(text.size(), kLongestColor); ++i) {
    if (text[i] == 'm') return i + 1;
    const bool number = (text[i] >= '0' && text[i] <= '9') || text[i] == ';' || text[i] == ':';
    if (!number) return 0;
  }
  return text.size() < kLongestColor ? std::string_view::npos : 0;
}

/// Returns true when `text` is the start of a multi-byte character that is incomplete.
bool cut_short(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  const auto goes_on = [](char c) { return (c & 0xC0) == 0x80; };
  return text.size() < length && std::all_of(text.begin() + 1, text.end(), goes_on);
}

}  // namespace

std::string LogFilter::feed(std::string_view bytes) {
  const std::string all = std::exchange(pending_, {}).append(bytes);
  std::string out;
  for (std::size_t i = 0; i < all.size();) {
    const std::string_view rest = std::string_view(all).substr(i);
    const std::size_t color = rest[0] == '\x1b' ? color_length(rest) : 0;
    if (color == std::string_view::npos || cut_short(rest) || rest == "\r") {
      pending_ = rest;
      break;
    }
    if (color > 0) {
      out += rest.substr(0, color);
      i += color;
    } else if (rest[0] == '\r') {
      if (rest[1] != '\n') out += '\n';
      ++i;
    } else {
      const Escape escape = escape_at(rest);
      const bool as_it_is = escape.text.empty() || rest[0] == '\n' || rest[0] == '\t';
      out += as_it_is ? rest.substr(0, escape.length) : escape.text;
      i += escape.length;
    }
  }
  return out;
}

}  // namespace muster::cli
