// The text of a YAML stream, indexed by line, to look up the text at a position and to show it in errors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/yaml.h"

namespace muster::json {

/// A position as the YAML parser reports it: line and byte within the line, both from 0.
struct Place {
  int line = 0;
  int byte = 0;
  bool operator==(const Place&) const = default;
};

/// Refers to a text, which must outlive it.
class YamlSource {
 public:
  explicit YamlSource(std::string_view text);

  std::string_view line(int index) const;
  /// The character at the place; '\0' past the end of a line.
  char at(Place place) const;
  /// The offset of the place in the whole text.
  std::size_t offset(Place place) const;
  Place place(std::size_t offset) const;
  int last_line() const { return static_cast<int>(lines_.size()) - 1; }
  /// The place as people count: from 1, in characters.
  Mark mark(Place place) const;

  /// An error whose message is "line 7, column 5: " + what, then the line itself and a caret below the place.
  Error error(Place place, std::string_view what) const;

 private:
  struct Line {
    std::size_t begin;
    std::size_t end;  // before the line break
  };

  std::string_view text_;
  std::vector<Line> lines_;
};

}  // namespace muster::json
