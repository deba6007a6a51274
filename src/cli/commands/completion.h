// Shell completion. The scripts are thin: they pass the words to `muster __complete`, so bash, zsh and fish offer the
// same candidates, derived from the command table, the flags and the server's responses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/commands/command_table.h"
#include "cli/connect/connect.h"
#include "cli/flags/flags.h"

namespace muster::cli {

/// The hidden command that the scripts call.
inline constexpr std::string_view kCompleteCommand = "__complete";

/// The script for bash, zsh or fish that completes command lines of `program`; BadRequest for another shell.
Result<std::string> completion_script(const std::string& shell, const std::string& program = "muster");

/// A command as completion sees it.
struct Completable {
  std::string_view name;
  std::string_view summary;
  std::vector<Flags::Listed> flags;
};
/// Returns the commands of the table and `help`, sorted by name.
std::vector<Completable> completable_commands(CommandTable table);

struct Candidate {
  std::string text;
  std::string description = {};
};

/// What could complete the last word.
struct Completing {
  enum class Ask { kNothing, kNames, kNamespaces, kContexts };

  std::vector<Candidate> known;  // known without asking a server
  Ask ask = Ask::kNothing;
  std::string kind = {};                  // for kNames: the kind of the objects to list
  std::string suffix = {};                // for kNames: appended to each name: ":"
  std::string prefix = {};                // prepended to each candidate: "cm/", "--namespace="
  std::string typed = {};                 // candidates must start with this
  std::vector<std::string> already = {};  // names already on the line, which are not offered again
  ConnectOptions connect = {};            // from the flags on the line
};

/// `words` are those after the program's name; the last is the one being typed, "" when nothing of it is typed yet.
Completing completing(std::vector<std::string> words, const std::vector<Completable>& commands);

/// Returns one line "TEXT<tab>DESCRIPTION" for each candidate that starts with what was typed.
std::string candidate_lines(const Completing& completing, const std::vector<Candidate>& candidates);

}  // namespace muster::cli
