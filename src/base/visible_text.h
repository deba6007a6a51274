// Text that somebody else wrote, made harmless for a terminal and for the eyes of its reader.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// The escape of the character that `text` begins with, and how many bytes the character takes.
struct Escape {
  std::string text;  // \n, \x1b, \u202e, \U000e0041; "" when the character may be shown as it is
  std::size_t length = 1;
};
/// Control characters, marks that turn the direction of text, characters without width, bytes that are no UTF-8.
Escape escape_at(std::string_view text);

/// With all of those escaped, but newlines and tabs. Twice gives the same as once.
std::string visible(std::string_view text);

/// Columns of a terminal that the text takes: two for each character of the East Asian scripts, none for marks that are
/// put above or below another.
std::size_t text_width(std::string_view text);
/// The text, or as much of its beginning as leaves room for a "…" within so many columns.
std::string cut_to_width(std::string_view text, std::size_t width);

}  // namespace muster
