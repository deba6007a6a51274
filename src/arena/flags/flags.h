// Arena's flags: the table and the parser of cli::Flags with Arena's rules, pflag's error texts and pflag's help.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/flags/flags.h"
#include "cli/terminal/print_error.h"

namespace muster::arena {

class Flags : private cli::Flags {
 public:
  using cli::Flags::add;
  using cli::Flags::add_old_name;
  using cli::Flags::asks_for_help;
  using cli::Flags::list;
  using cli::Flags::Listed;
  using cli::Flags::Parsed;
  using cli::Flags::require;
  using cli::Flags::set_choices;

  // `--flag true` is what Arena's own help shows, although pflag would take the word as the start of the command.
  Flags() : cli::Flags({.commas_separate = false, .numbers_are_seconds = false, .bools_take_a_word = true}) {}

  std::variant<Parsed, cli::Failure> parse(const std::vector<std::string>& args);
  /// Returns one line per flag.
  std::string help() const;
};

/// Returns how many of the words from `at` on belong to the flag there, its value included. A flag that is not in
/// `known` takes a value, as cobra assumes while it looks for the command.
std::size_t words_of_flag(const std::vector<std::string>& args, std::size_t at,
                          const std::vector<Flags::Listed>& known);

}  // namespace muster::arena
