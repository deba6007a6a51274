// The table of commands: what `muster help`, the parser of the command line and shell completion know about each. The
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
  kStarted,   // needed, and worth starting the local engine for when there is none
  kOptional,  // something can be said without one
  kNone,      // never asked
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
  bool destructive = false;  // never suggested in the place of a word that was mistyped
};

struct Section {
  std::string_view title;
  std::span<const Entry> commands;
};
using CommandTable = std::span<const Section>;

std::span<const Entry> object_commands();

/// Null when there is none of this name.
const Entry* find_command(CommandTable table, std::string_view name);
/// What `muster help` prints.
std::string program_help(CommandTable table);
/// What `muster COMMAND --help` prints.
std::string help_text(const Entry& entry, const Flags& own, const Flags& common = {});
/// With the command that was probably meant.
Failure unknown_command(std::string_view word, CommandTable table);

}  // namespace muster::cli
