// The table of commands, with what `muster help`, the command line parser and shell completion need for each. The
// commands of this module talk to an API server; main adds those that run the engine.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cli/commands/commands.h"

namespace muster::cli {

enum class Server {
  kNeeded,
  kStarted,  // needed; the local engine is started when there is no server
  kHere,  // the same, also when there is a cluster that nobody has named: the command is about folders of this machine
  kOptional,  // the command is also useful without a server
  kNone,      // no request is ever sent
};

struct Entry {
  std::string_view name;
  std::string_view summary;
  std::string_view usage;
  std::string_view examples;
  std::unique_ptr<Command> (*make)();
  Server server = Server::kNeeded;
  std::string_view notes = {};
  std::size_t most_words = std::numeric_limits<std::size_t>::max();
  bool destructive = false;  // never suggested as the correction of a mistyped command
  /// Changes the arguments before they are read as flags. Null: they stay.
  Result<std::vector<std::string>> (*rewrite)(const std::vector<std::string>& args,
                                              const std::vector<Flags::Listed>& known) = nullptr;
};

struct Section {
  std::string_view title;
  std::span<const Entry> commands;
};
using CommandTable = std::span<const Section>;

std::span<const Entry> object_commands();

/// Returns null when there is no command of this name.
const Entry* find_command(CommandTable table, std::string_view name);
/// Returns the output of `muster help`.
std::string program_help(CommandTable table);
/// Returns the output of `muster COMMAND --help`.
std::string help_text(const Entry& entry, const Flags& own, const Flags& common = {});
/// The failure suggests the command that the user probably meant.
Failure unknown_command(std::string_view word, CommandTable table);

}  // namespace muster::cli
