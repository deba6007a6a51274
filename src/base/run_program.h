// Runs a program to its end, with a limit on its time, and reads what it prints. Blocks: for commands, not for the
// loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace muster {

struct ProgramRun {
  std::vector<std::string> words;               // words[0] as found on the PATH, or a file
  std::optional<std::vector<std::string>> env;  // none: ours
  bool quiet = false;                           // its standard error goes nowhere; else it is ours
  Duration limit = std::chrono::minutes(1);
  std::size_t max_output = std::size_t{1024} * 1024;
};

struct ProgramEnd {
  std::string output;
  int exit_code = 0;
  int signal = 0;  // 0: it ended by itself
  bool succeeded() const { return exit_code == 0 && signal == 0; }
};

/// NotFound when there is no such program, Timeout when it has not ended within the limit, RequestEntityTooLarge when
/// it prints too much: then it is killed.
Result<ProgramEnd> run_program(ProgramRun run);

}  // namespace muster
