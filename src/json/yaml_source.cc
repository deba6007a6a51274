#include "json/yaml_source.h"

#include <fmt/core.h>

#include <algorithm>

namespace muster::json {
namespace {

// Beyond this, columns count bytes: otherwise a long single-line document would be counted again for every node.
constexpr std::size_t kCountedBytes = 4096;
// The number of bytes of a line that an error shows.
constexpr std::size_t kShownBytes = 160;

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

}  // namespace

YamlSource::YamlSource(std::string_view text) : text_(text) {
  std::size_t begin = 0;
  do {
    const std::size_t next = std::min(text.find('\n', begin), text.size());
    const bool has_return = next > begin && text[next - 1] == '\r';
    lines_.push_back({.begin = begin, .end = has_return ? next - 1 : next});
    begin = next + 1;
  } while (begin < text.size());
}

std::string_view YamlSource::line(int index) const {
  if (index < 0 || index > last_line()) return {};
  const Line& found = lines_[static_cast<std::size_t>(index)];
  return text_.substr(found.begin, found.end - found.begin);
}

char YamlSource::at(Place place) const {
  const std::string_view text = line(place.line);
  return place.byte >= 0 && static_cast<std::size_t>(place.byte) < text.size()
             ? text[static_cast<std::size_t>(place.byte)]
             : '\0';
}

std::size_t YamlSource::offset(Place place) const {
  if (place.line > last_line()) return text_.size();
  const std::size_t begin = lines_[static_cast<std::size_t>(std::max(place.line, 0))].begin;
  return std::min(text_.size(), begin + static_cast<std::size_t>(std::max(place.byte, 0)));
}

Place YamlSource::place(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(lines_, offset, {}, &Line::begin);
  const auto index = after - lines_.begin() - 1;
  return {.line = static_cast<int>(index), .byte = static_cast<int>(offset - (after - 1)->begin)};
}

Mark YamlSource::mark(Place place) const {
  const std::string_view text = line(place.line);
  const auto byte = static_cast<std::size_t>(std::max(place.byte, 0));
  if (text.size() > kCountedBytes) return {.line = place.line + 1, .column = place.byte + 1};
  const auto characters = std::ranges::count_if(text.substr(0, std::min(byte, text.size())), starts_character);
  return {.line = place.line + 1, .column = static_cast<int>(characters) + 1};
}

Error YamlSource::error(Place place, std::string_view what) const {
  if (place.line > last_line()) {
    place = {.line = last_line(), .byte = static_cast<int>(line(last_line()).size())};
  }
  const std::string_view text = line(place.line);
  const Mark at = mark(place);
  const auto byte = std::min(static_cast<std::size_t>(std::max(place.byte, 0)), text.size());
  // The error shows a window around the place, cut between characters.
  std::size_t begin = byte > kShownBytes / 2 && text.size() > kShownBytes ? byte - kShownBytes / 2 : 0;
  while (begin < byte && !starts_character(text[begin])) ++begin;
  std::size_t end = std::min(text.size(), begin + kShownBytes);
  while (end < text.size() && !starts_character(text[end])) ++end;

  std::string shown;
  std::string caret;
  for (std::size_t i = begin; i < end; ++i) {
    const bool control = static_cast<unsigned char>(text[i]) < 0x20 && text[i] != '\t';
    shown += control ? '?' : text[i];
    // Tabs are copied, so that the caret is in the right column whatever the terminal's tab stops are.
    if (i < byte && starts_character(text[i])) caret += text[i] == '\t' ? '\t' : ' ';
  }
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("line {}, column {}: {}\n{}\n{}^", at.line, at.column, what, shown, caret)};
}

}  // namespace muster::json
