// Exec and attach: a program in a container whose streams are connected to somebody elsewhere. The API server uses this
// interface towards the node, and clients use it towards the API server (open_exec).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_function.h"

namespace muster::node {

struct ExecRequest {
  std::string ns;
  std::string pod;
  std::string pod_uid;  // for the node only
  std::string container;
  std::vector<std::string> command;  // empty: attach to the container's own program
  bool with_stdin = false;
  bool with_stdout = false;
  bool with_stderr = false;  // never together with a terminal, which has one output
  bool tty = false;
};

struct TerminalSize {
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
  bool operator==(const TerminalSize&) const = default;
};

/// Callbacks run on the loop, never inline. Nothing follows on_exit.
struct ExecSink {
  UniqueFunction<void(std::string_view)> on_stdout;
  UniqueFunction<void(std::string_view)> on_stderr;
  /// The exit code, 128 + N after signal N; an error when the program did not start or its end is unknown.
  UniqueFunction<void(Result<int>)> on_exit;
};

/// Destroying it before on_exit kills the program of an exec, and leaves that of an attach alone. Loop thread only.
class ExecSession {
 public:
  virtual ~ExecSession() = default;
  /// Bytes are kept until the program reads them; the caller watches unsent_stdin().
  virtual void write_stdin(std::string_view bytes) = 0;
  /// The program reads the end of its input after what has been written.
  virtual void close_stdin() = 0;
  virtual void resize(TerminalSize size) = 0;
  virtual std::size_t unsent_stdin() const = 0;
  /// Calls `task` once, from the loop, when at most `bytes` are unsent. A later call replaces an earlier one.
  virtual void when_stdin_room(std::size_t bytes, Task task) = 0;
  /// Delivers no output until resume_output(), except for what has been read already. The program then has to wait.
  virtual void pause_output() = 0;
  virtual void resume_output() = 0;
};

}  // namespace muster::node
