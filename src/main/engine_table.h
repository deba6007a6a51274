// The table of the commands that run the engine or look at this machine: what `muster help`, the parser of the command
// line and completion know about each. Those that talk to an API server are in cli/command_table.h.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "cli/flags.h"

namespace muster {

class EngineCommand {
 public:
  virtual ~EngineCommand() = default;
  virtual void add_flags(cli::Flags& flags) = 0;
  /// `words` are the arguments that are no flags. The exit code.
  virtual int run(const std::vector<std::string>& words) = 0;
};

struct EngineEntry {
  cli::Help help;
  std::size_t most_words = 0;
  std::unique_ptr<EngineCommand> (*make)() = nullptr;
};

std::span<const EngineEntry> engine_table();
/// Null when there is none of this name.
const EngineEntry* find_engine_command(std::string_view name);
/// Prints the help when that is asked for; refuses unknown flags and words that are too many.
int run_engine_command(const EngineEntry& entry, const std::vector<std::string>& args);

}  // namespace muster
