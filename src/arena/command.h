// A command of Arena, and what it works with. One file per command in commands/.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arena/flags.h"
#include "arena/log.h"
#include "arena/output/tables.h"
#include "cli/command_table.h"
#include "cli/connect/connect.h"
#include "cli/connect/environment.h"
#include "cli/connect/session.h"

namespace muster::arena {

/// What ~/.arena/config says.
struct UserConfig {
  std::string ns;
  std::vector<std::string> image_pull_secrets;
  std::string tf_role_sequence;
};
/// Reads lines of key=value; unknown keys and comments are skipped.
UserConfig parse_user_config(std::string_view text);

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

struct Context {
  cli::Session& session;
  Log& log;
  const UserConfig& config;
  const cli::Environment& environment;
  std::optional<cli::Choice> server = {};  // the one that was chosen

  /// Returns how to show an error of a request.
  cli::Failure failure_of(const Error& error) const;
  /// Prints Arena's error line and returns the exit code, which is always 1.
  int fail(const cli::Failure& failure) { return session.fail(failure) == 0 ? 0 : 1; }
  int fail(const Error& error) { return session.fail(error) == 0 ? 0 : 1; }
};

/// Returns the layout that -o and $ARENA_LAYOUT choose.
Layout layout_of(const std::string& output, const cli::Environment& environment);
/// Returns the failure for a value of -o that is not wide, json or yaml.
std::optional<cli::Failure> check_output(const std::string& output);
Viewer viewer_of(Context& context, const std::string& output);
/// Waits until a command that shows something continuously shows it again. Returns false when the user interrupted it.
bool wait_for_refresh(Context& context);

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

/// Runs the binary under the name arena. Returns the exit code: 0 or 1.
int run(const std::vector<std::string>& args, const cli::ShowPage& show_page);

}  // namespace muster::arena
