// Runs a program with a text as its standard input, without waiting for it on the loop.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ports.h"
#include "base/result.h"

namespace muster::notify {

struct ProgramInput {
  std::vector<std::string> words;  // words[0] is looked up in PATH, or is a path
  std::string input;
  std::vector<std::pair<std::string, std::string>> variables = {};  // besides the engine's own
  Duration limit = std::chrono::minutes(1);
};

/// A program that runs. Destroying it lets the program run on; `done` is not called then.
class RunningProgram {
 public:
  virtual ~RunningProgram() = default;
};

/// Calls `done` once, never inline: ok when the program exits with 0. After the limit it is killed, with the programs
/// that it started as its group. What it prints is dropped.
std::unique_ptr<RunningProgram> run_with_input(Loop& loop, ProgramInput run, UniqueFunction<void(Status)> done);

}  // namespace muster::notify
