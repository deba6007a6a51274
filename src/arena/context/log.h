// The lines that Arena writes to stderr, in the form of the logrus library: "INFO[0000] text" with the seconds since
// the start, or key=value pairs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/ports.h"
#include "cli/terminal/print_error.h"

namespace muster::arena {

enum class Level { kDebug, kInfo, kWarn, kError };

/// Returns nullopt if the word is not a level.
std::optional<Level> level_of(std::string_view word);

enum class LogForm { kTerminal, kKeyValue };

/// Formats one line. `elapsed` is the time since the program started.
std::string log_line(LogForm form, Level level, std::string_view text, Time now, Duration elapsed);

class Log {
 public:
  using Write = std::function<void(std::string_view)>;
  Log(const Clock& clock, Write write, LogForm form) : clock_(clock), write_(std::move(write)), form_(form) {}

  void set_level(Level level) { level_ = level; }
  void debug(std::string_view text) { line(Level::kDebug, text); }
  void info(std::string_view text) { line(Level::kInfo, text); }
  void warn(std::string_view text) { line(Level::kWarn, text); }
  /// Returns Arena's first line and ours below it: why, and how to fix it.
  std::string error_text(const cli::Failure& failure) const;

 private:
  void line(Level level, std::string_view text);

  const Clock& clock_;
  Write write_;
  LogForm form_;
  Level level_ = Level::kInfo;
  MonoTime started_ = clock_.mono();
};

}  // namespace muster::arena
