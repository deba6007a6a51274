// The user's terminal during exec and attach: raw mode, its size, and its input as it is typed.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/ports.h"
#include "base/result.h"
#include "node/exec.h"

namespace muster::cli {

/// Undoes something when it is destroyed.
class Undo {
 public:
  explicit Undo(Task task = nullptr) : task_(std::move(task)) {}
  ~Undo() {
    if (task_) task_();
  }
  Undo(Undo&&) = default;
  Undo& operator=(Undo&&) = delete;

 private:
  Task task_;
};

/// Tests replace it.
struct Console {
  int input = -1;  // the descriptor that is read
  /// Every key goes to the program, as it is pressed, until the result is destroyed.
  std::function<Result<std::unique_ptr<Undo>>()> make_raw;
  std::function<std::optional<node::TerminalSize>()> size;
  /// Calls the task after each change of the size, until the result is destroyed.
  std::function<std::unique_ptr<Undo>(Loop& loop, std::function<void()> task)> on_resize;
};

Console real_console();

/// Ends raw mode, if it is on. For paths that end the process without destroying anything.
void restore_terminal();

}  // namespace muster::cli
