#include "cli/logs/last_line.h"

#include <fmt/core.h>

#include "base/strings.h"

namespace muster::cli {
namespace {

std::string two_units(std::int64_t large, const char* large_unit, std::int64_t small, const char* small_unit) {
  if (small == 0) return fmt::format("{} {}", large, large_unit);
  return fmt::format("{} {} {} {}", large, large_unit, small, small_unit);
}

}  // namespace

std::string spoken_duration(Duration duration) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < 1) return "less than 1 s";
  if (seconds < 60) return fmt::format("{} s", seconds);
  const std::int64_t minutes = seconds / 60;
  if (minutes < 60) return two_units(minutes, "min", seconds % 60, "s");
  const std::int64_t hours = minutes / 60;
  if (hours < 24) return two_units(hours, "h", minutes % 60, "min");
  return two_units(hours / 24, "d", hours % 24, "h");
}

std::string last_line(const EndOfJob& end) {
  std::string out{jobs::state_word(end.summary.phase)};
  if (end.summary.started && end.summary.ended) {
    out += " in " + spoken_duration(*end.summary.ended - *end.summary.started);
  }
  if (const std::string results = jobs::results_text(end.progress); !results.empty()) out += ", " + results;
  std::vector<std::string> next = {"logs", "describe", "rerun"};
  if (end.has_curves) next.emplace_back("tensorboard");
  for (std::string& command : next) command = fmt::format("muster {} {}", command, end.name);
  return fmt::format("{}\nnext: {}\n", out, join(next, ", "));
}

}  // namespace muster::cli
