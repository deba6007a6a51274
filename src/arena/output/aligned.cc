#include "arena/output/aligned.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/visible_text.h"
#include "cli/output/table.h"

namespace muster::arena {

std::string aligned(const std::vector<Row>& rows, std::string_view indent) {
  constexpr std::size_t kGap = 2;
  std::vector<Row> cells = rows;
  std::vector<std::size_t> widths;
  for (Row& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = cli::cell_text(row[i]);
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], text_width(row[i]));
    }
  }
  std::string out;
  for (const Row& row : cells) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - text_width(row[i]) + kGap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string short_duration(long long seconds) {
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  struct Unit {
    long long below;
    long long size;
    char letter;
  };
  constexpr long long kDay = 24 * 3600;
  for (const Unit& unit : {Unit{60, 1, 's'}, {3600, 60, 'm'}, {kDay, 3600, 'h'}, {365 * kDay, kDay, 'd'}}) {
    if (seconds < unit.below) return fmt::format("{}{}", seconds / unit.size, unit.letter);
  }
  return fmt::format("{}y", seconds / (365 * kDay));
}

}  // namespace muster::arena
