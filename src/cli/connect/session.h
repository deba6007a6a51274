// Session: what a running command works with: the client, its output, the namespace, and a synchronous view of the loop
// (start a request, wait, continue). Ctrl-C ends every wait.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/ports.h"
#include "cli/connect/show_page.h"
#include "cli/terminal/log_filter.h"
#include "cli/terminal/print_error.h"
#include "client/api_client.h"

namespace muster::net {
class EventLoop;
}

namespace muster::cli {

/// Where output goes, and how it may be formatted there.
struct Terminal {
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> err;
  std::function<Result<std::string>()> read_stdin;
  /// One line that somebody types; empty at the end of the input.
  std::function<Result<std::string>()> read_line;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool color = false;     // stdout is a terminal and NO_COLOR is not set
  std::size_t width = 0;  // columns of the terminal on stdout; 0: lines are not cut
};

class Session {
 public:
  /// Runs the loop until `done` returns true.
  using RunUntil = std::function<void(const std::function<bool()>& done)>;

  Session(Loop& loop, client::ApiClient& api, RunUntil run_until, Terminal terminal, std::string ns);

  Loop& loop() { return loop_; }
  /// The same loop for a command that listens for connections; null in tests.
  net::EventLoop* event_loop() const { return event_loop_; }
  void set_event_loop(net::EventLoop* loop) { event_loop_ = loop; }
  /// Shows a page until Ctrl-C and returns the exit code.
  int show_page(const PageToShow& page) { return show_page_(*this, page); }
  void set_show_page(ShowPage show) { show_page_ = std::move(show); }
  client::ApiClient& api() { return api_; }
  const Terminal& terminal() const { return terminal_; }
  const std::string& ns() const { return ns_; }
  /// Returns the namespace given by a flag, or "" when ns() comes from the kubeconfig.
  std::string named_ns() const { return ns_is_named_ ? ns_ : ""; }
  void set_ns_is_named() { ns_is_named_ = true; }
  /// Whether the server is that of the pod which this process runs in, by the pod's service account.
  bool is_in_pod() const { return is_in_pod_; }
  void set_is_in_pod() { is_in_pod_ = true; }
  /// True when the server is the engine of this user on this machine, so that its jobs see files of this machine.
  bool is_local_engine() const { return is_local_engine_; }
  void set_is_local_engine(bool is_local) { is_local_engine_ = is_local; }

  /// Prints text for people: control sequences, from whatever source, are escaped (base/visible_text.h).
  void out(std::string_view text);
  void err(std::string_view text);
  /// Prints data for programs, byte for byte.
  void out_exact(std::string_view text) { terminal_.out(text); }
  /// Prints a program's log: unchanged to a file or pipe, filtered (cli/terminal/log_filter.h) on a terminal unless
  /// raw.
  void out_log(std::string_view text);
  void let_logs_be_raw() { raw_logs_ = true; }
  /// Sets the text of a failure: error_json for `-o json`, error_text otherwise.
  using ErrorText = std::function<std::string(const Failure&)>;
  void report_errors_as(ErrorText text) { error_text_ = std::move(text); }
  /// Reports the failure and returns the exit code. After an interrupt it prints nothing.
  int fail(const Failure& failure);
  int fail(const Error& error);
  /// Sets how an unreachable server is reported: only the code that chose the server knows what helps.
  void explain_unreachable(std::function<Failure(const Error&)> explain) { explain_ = std::move(explain); }

  /// Calls `start` and waits for its one response.
  Result<json::Document> await(const std::function<void(client::OnDocument)>& start);
  /// The same for what a command has to undo: Ctrl-C does not end the wait, but the limit does.
  Result<json::Document> await_last(const std::function<void(client::OnDocument)>& start, Duration limit);
  Result<json::Document> get(const client::ObjectName& object);
  Result<json::Document> list(const client::ResourceName& resource, const std::string& ns,
                              const client::ListOptions& options);
  /// Returns the whole body of the response to a plain GET. After `limit` the server counts as unavailable.
  Result<std::string> get_text(const std::string& target, std::optional<Duration> limit = std::nullopt);

  enum class Waited { kDone, kTimedOut, kInterrupted };
  Waited wait_until(const std::function<bool()>& done, std::optional<MonoTime> deadline = std::nullopt);

  void interrupt() { interrupted_ = true; }
  bool interrupted() const { return interrupted_; }
  /// For a command that a signal ends as it should: it can wait again, and its exit code counts.
  void end_interrupt() { interrupted_ = false; }

 private:
  Loop& loop_;
  net::EventLoop* event_loop_ = nullptr;
  ShowPage show_page_;
  client::ApiClient& api_;
  RunUntil run_until_;
  Terminal terminal_;
  std::string ns_;
  bool ns_is_named_ = false;
  bool is_in_pod_ = false;
  bool is_local_engine_ = false;
  std::function<Failure(const Error&)> explain_;
  bool interrupted_ = false;
  ErrorText error_text_ = error_text;
  bool raw_logs_ = false;
  LogFilter log_filter_;
};

}  // namespace muster::cli
