// Flags: one table of a command's flags, parsed the way kubectl (pflag) does: `-f x`, `-fx`, `-f=x`, `--flag x`,
// `--flag=x`, joined letters (`-it`), flags and words in any order; `--` ends the flags. The help text is generated
// from the same table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace muster::cli {

/// The variables belong to the caller, hold the defaults before parse() and must outlive this object.
class Flags {
 public:
  void add_string(std::string name, std::string* value, std::string help, char letter = '\0');
  void add_bool(std::string name, bool* value, std::string help, char letter = '\0');
  void add_int(std::string name, std::optional<std::int64_t>* value, std::string help, char letter = '\0');
  /// Accepts Go's duration format or a number of seconds.
  void add_duration(std::string name, std::optional<Duration>* value, std::string help, char letter = '\0');
  /// The flag may be repeated, and each value may hold several items separated by commas.
  void add_list(std::string name, std::vector<std::string>* value, std::string help, char letter = '\0');
  /// Sets the value of a bare `--name`; such a flag takes another value only after `=`.
  void set_implied(const std::string& name, std::string value);
  /// For commands that run another one: the flags after the first word are that command's own.
  void end_at_first_word() { ends_at_first_word_ = true; }
  /// Sets the values that completion offers. parse() does not check them.
  void set_choices(const std::string& name, std::vector<std::string> choices);

  /// Returns the words that are not flags. BadRequest for the first wrong flag, with a suggestion.
  Result<std::vector<std::string>> parse(const std::vector<std::string>& args);
  /// Returns true when the arguments ask for help: a `-h` or `--help` before any `--`.
  bool asks_for_help(const std::vector<std::string>& args) const;
  /// Returns one line per flag.
  std::string help() const;

  struct Listed {
    std::string name;
    char letter = '\0';
    bool takes_word = false;  // the next word is its value
    std::string help = {};
    std::vector<std::string> choices = {};
  };
  std::vector<Listed> list() const;
  /// Returns the current value of a flag that takes text; "" for all others.
  std::string text_of(std::string_view name) const;

 private:
  using Target = std::variant<std::string*, bool*, std::optional<std::int64_t>*, std::optional<Duration>*,
                              std::vector<std::string>*>;
  struct Flag {
    std::string name;
    char letter = '\0';
    Target target;
    std::string help;
    std::string fallback;                // the default as text; "" when none is shown
    std::optional<std::string> implied;  // the value of the bare flag
    std::vector<std::string> choices = {};
    bool was_set = false;
  };

  void add(std::string name, Target target, std::string help, char letter, std::string fallback);
  Flag* find(std::string_view name);
  Flag* find(char letter);
  Status parse_long(const std::vector<std::string>& args, std::size_t& at);
  Status parse_letters(const std::vector<std::string>& args, std::size_t& at);
  bool takes_next_word(const std::string& arg) const;
  Error unknown(std::string_view name) const;
  static Status assign(Flag& flag, const std::string& value);

  std::vector<Flag> flags_;
  bool ends_at_first_word_ = false;
};

}  // namespace muster::cli
