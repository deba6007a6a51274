// A command of Arena, and the table of all of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arena/context/context.h"
#include "arena/flags/flags.h"
#include "cli/commands/command_table.h"

namespace muster::arena {

/// The flags of every command.
struct GlobalFlags {
  std::string loglevel = "info";
  std::string config;
  std::string ns;
  std::string arena_namespace = "arena-system";
  bool pprof = false;
  bool trace = false;
  bool helm_binary = false;
  bool help = false;

  void add_flags(Flags& flags);
};

class Command {
 public:
  virtual ~Command() = default;
  virtual void add_flags(Flags& flags) = 0;
  /// Whether all arguments are words of the command, and none of them a flag.
  virtual bool takes_any_flags() const { return false; }
  /// Checks flags and words before a server is asked.
  virtual std::optional<cli::Failure> check(const std::vector<std::string>& words);
  /// Returns the exit code.
  virtual int run(Context& context, const std::vector<std::string>& words) = 0;
};

/// One command, or a parent of commands when it has no `make`.
struct Entry {
  std::string_view name;
  std::string_view aliases;  // separated by commas
  std::string_view summary;
  std::string_view usage;  // what follows the command's name
  std::unique_ptr<Command> (*make)() = nullptr;
  std::span<const Entry> children = {};
  cli::Server server = cli::Server::kNeeded;
  /// The failure of a command line without words, which also prints the help; "": words are optional.
  std::string_view without_words = {};
  bool names_job = false;  // its words are names of jobs, which completion offers
  bool hidden = false;     // not in help

  bool is_called(std::string_view word) const;
};

/// The commands without their parent `arena`.
std::span<const Entry> commands();

/// The command that a command line names, and the words that remain for it.
struct CommandLine {
  const Entry* entry = nullptr;  // a parent when the words name no command below it
  std::string path = "arena";    // "arena submit pytorchjob"
  std::vector<std::string> rest;
  std::optional<std::string> unknown;  // the word that names no command of `entry`
};
CommandLine find_command(const std::vector<std::string>& args);

/// Returns the output of --help. `path` is the command's full name, "arena submit pytorchjob".
std::string help_text(const std::string& path, const Entry& entry, const Flags& own, const Flags& global);

}  // namespace muster::arena
