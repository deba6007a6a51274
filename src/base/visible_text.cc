#include "base/visible_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/strings.h"

namespace muster {
namespace {

/// The character at the start of a well-formed UTF-8 sequence of more than one byte, and its length; else 0, 0.
std::pair<char32_t, std::size_t> wide_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first >= 0xf8 ? 0 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || text.size() < length) return {0, 0};
  char32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) return {0, 0};
    code = code << 6 | (next & 0x3fU);
  }
  return {code, length};
}

/// Whether the character controls the text around it or has no width.
bool is_invisible(char32_t code) {
  return (code >= 0x80 && code <= 0x9f) || code == 0xad || code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
         (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe007f);
}

struct Range {
  char32_t first;
  char32_t last;
};

bool is_in(std::span<const Range> ranges, char32_t code) {
  return std::ranges::any_of(ranges, [code](const Range& range) { return code >= range.first && code <= range.last; });
}

// Of Unicode's EastAsianWidth.txt (W and F), and emoji.
constexpr Range kTwoColumns[] = {{0x1100, 0x115f},  {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97f},
                                 {0xac00, 0xd7a3},  {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                 {0xffe0, 0xffe6},  {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
                                 {0x20000, 0x3fffd}};
constexpr Range kNoColumn[] = {{0x300, 0x36f}, {0x1ab0, 0x1aff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};

struct Glyph {
  std::size_t bytes = 1;
  std::size_t columns = 1;
};

Glyph glyph_at(std::string_view text) {
  const auto [code, length] = wide_character(text);
  if (length == 0) return {};
  return {.bytes = length, .columns = is_in(kTwoColumns, code) ? 2U : is_in(kNoColumn, code) ? 0U : 1U};
}

}  // namespace

Escape escape_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first == '\n') return {.text = "\\n"};
  if (first == '\r') return {.text = "\\r"};
  if (first == '\t') return {.text = "\\t"};
  if (first < 0x20 || first == 0x7f) return {.text = fmt::format("\\x{:02x}", first)};
  if (first < 0x80) return {};
  const auto [code, length] = wide_character(text);
  if (length == 0) return {.text = fmt::format("\\x{:02x}", first)};
  if (!is_invisible(code)) return {.text = "", .length = length};
  const auto number = static_cast<unsigned>(code);
  return {.text = number > 0xffff ? fmt::format("\\U{:08x}", number) : fmt::format("\\u{:04x}", number),
          .length = length};
}

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Escape escape = escape_at(text.substr(i));
    const bool as_it_is = escape.text.empty() || text[i] == '\n' || text[i] == '\t';
    out += as_it_is ? text.substr(i, escape.length) : escape.text;
    i += escape.length;
  }
  return out;
}

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Glyph glyph = glyph_at(text.substr(i));
    width += glyph.columns;
    i += glyph.bytes;
  }
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (text_width(text) <= width) return std::string(text);
  std::size_t used = 1;  // the sign at the end
  std::size_t end = 0;
  while (end < text.size()) {
    const Glyph glyph = glyph_at(text.substr(end));
    if (used + glyph.columns > width) break;
    used += glyph.columns;
    end += glyph.bytes;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string& word : split(text, ' ')) {
    if (!lines.back().empty() && text_width(lines.back()) + 1 + text_width(word) > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

}  // namespace muster
