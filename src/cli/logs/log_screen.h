// Prints logs that are being followed. On a terminal, lines that a program writes over (progress bars) are shown below
// the others and change in place, at most ten times a second; elsewhere only what they are in the end is printed.
#pragma once

#include <memory>
#include <string_view>

#include "cli/connect/session.h"
#include "client/logs/log_follower.h"

namespace muster::cli {

/// Loop thread only. When it is destroyed, what it shows stays on the screen.
class LogScreen {
 public:
  enum class Raw { kNo, kYes };
  /// With `raw`, every byte of the logs is printed as it is.
  explicit LogScreen(Session& session, Raw raw = Raw::kNo);
  ~LogScreen();
  LogScreen(const LogScreen&) = delete;
  LogScreen& operator=(const LogScreen&) = delete;

  /// Prints whole lines of logs.
  void print(std::string_view lines);
  /// Shows what an unfinished line is now.
  void show(const client::LineOfRun& line);
  /// Prints on stderr what explains the logs and is not part of them: dimmed on a terminal.
  void note(std::string_view lines);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::cli
