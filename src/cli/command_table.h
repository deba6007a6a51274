// The table of commands: what `muster help`, the parser of the command line and shell completion know about each.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "cli/commands.h"

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
};

std::span<const Entry> command_table();

}  // namespace muster::cli
