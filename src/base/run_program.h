// Runs a program to its end, within a time limit, and returns what it prints. It blocks, so it is for commands and not
// for the loop thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace muster {

struct ProgramRun {
  std::vector<std::string> words;               // words[0] is looked up in PATH, or is a path
  std::optional<std::vector<std::string>> env;  // nullopt: inherits ours
  bool quiet = false;                           // discards its standard error, which is otherwise ours
  Duration limit = std::chrono::minutes(1);
  std::size_t max_output = std::size_t{1024} * 1024;
};

struct ProgramEnd {
  std::string output;
  int exit_code = 0;
  int signal = 0;  // 0: it exited by itself
  bool succeeded() const { return exit_code == 0 && signal == 0; }
};

/// Returns NotFound when the program does not exist, Timeout when it does not end within the limit, and
/// RequestEntityTooLarge when it prints too much. In the last two cases the program is killed.
Result<ProgramEnd> run_program(ProgramRun run);

}  // namespace muster
