// Arena's flags: one table of a command's flags gives parsing, help and completion. They are read as pflag reads them,
// and errors have pflag's texts. Unlike cli::Flags, a list takes each value whole (commas are part of it), an old
// spelling of a flag is accepted with a warning, and a flag can be required.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "cli/flags/flags.h"
#include "cli/terminal/print_error.h"

namespace muster::arena {

/// The variables belong to the caller, hold the defaults before parse() and must outlive this object.
class Flags {
 public:
  void add(std::string name, std::string* value, std::string help, char letter = '\0');
  void add(std::string name, bool* value, std::string help, char letter = '\0');
  void add(std::string name, std::int64_t* value, std::string help, char letter = '\0');
  void add(std::string name, Duration* value, std::string help, char letter = '\0');
  void add(std::string name, std::vector<std::string>* value, std::string help, char letter = '\0');
  /// Accepts `--old` instead of `--name`, with a warning.
  void add_old_name(const std::string& name, std::string old);
  void require(const std::string& name);
  /// Sets the values that completion offers. parse() does not check them.
  void set_choices(const std::string& name, std::vector<std::string> choices);

  struct Parsed {
    std::vector<std::string> words;  // what is not a flag
    std::vector<std::string> warnings;
  };
  std::variant<Parsed, cli::Failure> parse(const std::vector<std::string>& args);
  /// Returns one line per flag.
  std::string help() const;

  using Listed = cli::Flags::Listed;
  std::vector<Listed> list() const;

 private:
  using Target = std::variant<std::string*, bool*, std::int64_t*, Duration*, std::vector<std::string>*>;
  struct Flag {
    std::string name;
    char letter = '\0';
    Target target;
    std::string help;
    std::string fallback;  // the default as text; "" when none is shown
    std::vector<std::string> old_names = {};
    std::vector<std::string> choices = {};
    bool required = false;
    bool was_set = false;
  };
  class Parser;

  void add_target(std::string name, Target target, std::string help, char letter, std::string fallback);
  Flag& named(std::string_view name);

  std::vector<Flag> flags_;
};

/// Returns how many of the words from `at` on belong to the flag there, its value included. A flag that is not in
/// `known` takes a value, as cobra assumes while it looks for the command.
std::size_t words_of_flag(const std::vector<std::string>& args, std::size_t at,
                          const std::vector<Flags::Listed>& known);

}  // namespace muster::arena
