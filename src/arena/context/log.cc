#include "arena/context/log.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "base/visible_text.h"
#include "cli/output/table.h"

namespace muster::arena {

namespace {

struct LevelName {
  Level level;
  std::string_view word;
  std::string_view four_letters;
};
constexpr LevelName kLevels[] = {{Level::kDebug, "debug", "DEBU"},
                                 {Level::kInfo, "info", "INFO"},
                                 {Level::kWarn, "warn", "WARN"},
                                 {Level::kError, "error", "ERRO"}};

const LevelName& name_of_level(Level level) {
  return kLevels[static_cast<std::size_t>(level)];
}

}  // namespace

std::optional<Level> level_of(std::string_view word) {
  for (const LevelName& one : kLevels) {
    if (one.word == word) return one.level;
  }
  return std::nullopt;
}

std::string log_line(LogForm form, Level level, std::string_view text, Time now, Duration elapsed) {
  const LevelName& name = name_of_level(level);
  if (form == LogForm::kKeyValue) {
    return fmt::format("time=\"{}\" level={} msg={}\n", format_rfc3339(now),
                       level == Level::kWarn ? "warning" : name.word, quote(text));
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  // A name or value with a newline must not look like a line of its own.
  return fmt::format("{}[{:04}] {}\n", name.four_letters, seconds, cli::cell_text(text));
}

void Log::line(Level level, std::string_view text) {
  if (level < level_) return;
  write_(visible(log_line(form_, level, text, clock_.now(), clock_.mono() - started_)));
}

std::string Log::error_text(const cli::Failure& failure) const {
  const std::string first = log_line(form_, Level::kError, failure.what, clock_.now(), clock_.mono() - started_);
  // The lines below the first are those of every command of this program.
  constexpr std::string_view kNoText = "error: -\n";
  cli::Failure below = failure;
  below.what = "-";
  return visible(first) + cli::error_text(below).substr(kNoText.size());
}

}  // namespace muster::arena
