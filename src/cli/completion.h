// Shell completion. The scripts are thin: they hand the words to `muster __complete`, so that bash, zsh and fish offer
// the same, made from the tables of commands, the flags, and what the server says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command_table.h"
#include "cli/connect.h"
#include "cli/flags.h"

namespace muster::cli {

/// The hidden command that the scripts ask.
inline constexpr std::string_view kCompleteCommand = "__complete";

/// The script for bash, zsh or fish; BadRequest for another shell.
Result<std::string> completion_script(const std::string& shell);

/// A command as completion knows it.
struct Completable {
  std::string_view name;
  std::string_view summary;
  std::vector<Flags::Listed> flags;
};
/// All of the table, and help, by name.
std::vector<Completable> completable_commands(CommandTable table);

struct Candidate {
  std::string text;
  std::string description = {};
};

/// What could stand where the last word is being typed.
struct Completing {
  enum class Ask { kNothing, kNames, kNamespaces, kContexts };

  std::vector<Candidate> known;  // without asking anybody
  Ask ask = Ask::kNothing;
  std::string kind = {};                  // kNames: of which objects
  std::string prefix = {};                // goes before each answer: "cm/", "--namespace="
  std::string typed = {};                 // candidates begin with this
  std::vector<std::string> already = {};  // names that stand there and need no repeating
  ConnectOptions connect = {};            // as the flags on the line say
};

/// `words` are those after the program's name; the last is the one being typed, "" when it has no letter yet.
Completing completing(std::vector<std::string> words, const std::vector<Completable>& commands);

/// "TEXT<tab>DESCRIPTION" per line, of those candidates that begin with what was typed.
std::string candidate_lines(const Completing& completing, const std::vector<Candidate>& candidates);

}  // namespace muster::cli
