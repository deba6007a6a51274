// Runs a command in a container, or attaches to one, with a local descriptor as its input.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "cli/connect/session.h"
#include "cli/terminal/console.h"
#include "node/exec.h"

namespace muster::cli {

struct ExecRun {
  node::ExecRequest request;
  int input = -1;  // copied to the program's stdin; -1: none
  std::function<void(std::string_view)> on_stdout;
  std::function<void(std::string_view)> on_stderr;
  std::function<Status()> check = ok;  // an error ends the run: the program's output cannot be used
  const Console* console = nullptr;    // where the terminal's size comes from, when the request has one
};

/// Returns the exit code of the program, or why there is none; nullopt when the user interrupted it.
std::optional<Result<int>> run_exec(Session& session, const ExecRun& run);

/// The same, with the user's terminal in raw mode if the request has a terminal and the input is one.
std::optional<Result<int>> run_exec_on_terminal(Session& session, const ExecRun& run);

/// The pod that a command line names, or the leading one of the job that it names. Fails when it has ended, as kubectl
/// does.
std::variant<json::Document, Failure> find_running_pod(Session& session, const std::string& ns,
                                                       const std::string& word);
/// Returns a line about the pod that was taken; "" for the one that `word` names.
std::string note_of_pod(const json::Document& pod, const std::string& word);

}  // namespace muster::cli
