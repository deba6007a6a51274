// Makes text from outside safe to show on a terminal: nothing in it can control the terminal or deceive the reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// The escape for the first character of a text, and how many bytes that character takes.
struct Escape {
  std::string text;  // \n, \x1b, \u202e, \U000e0041; "" when the character can be shown unchanged
  std::size_t length = 1;
};
/// Escapes control characters, marks that change text direction, zero-width characters and bytes that are not UTF-8.
Escape escape_at(std::string_view text);

/// Escapes all of those except newlines and tabs. It is idempotent.
std::string visible(std::string_view text);

/// Columns of a terminal that the text takes: two for each character of the East Asian scripts, none for marks that are
/// put above or below another.
std::size_t text_width(std::string_view text);
/// The text, or as much of its beginning as leaves room for a "…" within so many columns.
std::string cut_to_width(std::string_view text, std::size_t width);
/// Breaks the text at blanks into lines of at most `width` columns; a longer word has a line of its own.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace muster
