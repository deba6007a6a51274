// Flags: one table of a command's flags, parsed the way kubectl (pflag) does: `-f x`, `-fx`, `-f=x`, `--flag x`,
// `--flag=x`, joined letters (`-it`), flags and words in any order; `--` ends the flags. Help and completion are
// generated from the same table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace muster::cli {

enum class FlagType { kString, kBool, kInt, kDuration, kList };

/// The first mistake on a command line. Each program has its own texts for them.
struct FlagError {
  enum class Kind { kUnknown, kNeedsValue, kWrongValue, kMissing };
  Kind kind = Kind::kUnknown;
  std::string word = {};  // as the user typed it: "--name=x" or "-xyz"
  char letter = '\0';     // '\0' for `--name`
  std::string name = {};
  FlagType type = FlagType::kString;
  std::string value = {};
  std::optional<std::string> meant = {};  // the known flag that is closest to an unknown one
  std::string instead = {};               // what to do instead of giving this value
  std::vector<std::string> missing = {};  // the required flags that are not set
};

/// The variables belong to the caller, hold the defaults before parse() and must outlive this object.
class Flags {
 public:
  using Target = std::variant<std::string*, bool*, std::int64_t*, std::optional<std::int64_t>*, Duration*,
                              std::optional<Duration>*, std::vector<std::string>*>;
  /// What programs read differently.
  struct Rules {
    bool commas_separate = true;      // one value of a list may hold several items
    bool numbers_are_seconds = true;  // a duration may lack a unit
    bool bools_take_a_word = false;   // `--flag true` means `--flag=true`, unless the word is the whole command
  };

  Flags() = default;
  explicit Flags(Rules rules) : rules_(rules) {}

  /// A list may be repeated. A number or a duration of 0 is not shown as a default.
  void add(std::string name, Target target, std::string help, char letter = '\0');
  /// Sets the value of a bare `--name`; such a flag takes another value only after `=`.
  void set_implied(std::string_view name, std::string value);
  /// Sets the values that completion offers. parse() does not check them.
  void set_choices(std::string_view name, std::vector<std::string> choices) {
    named(name).choices = std::move(choices);
  }
  /// Says `instead` to somebody who gives one of these values, which other programs take and this one does not.
  void explain_values(std::string_view name, std::vector<std::string> values, std::string instead) {
    named(name).explained = {std::move(values), std::move(instead)};
  }
  /// Accepts `--old` instead of `--name`, with a warning.
  void add_old_name(std::string_view name, std::string old) { named(name).old_names.push_back(std::move(old)); }
  void require(std::string_view name) { named(name).required = true; }
  /// For commands that run another one: the flags after the first word are that command's own.
  void end_at_first_word() { ends_at_first_word_ = true; }
  /// For commands that hand on what follows `--`: it goes there instead of among the words; nullopt without a `--`.
  void keep_rest(std::optional<std::vector<std::string>>* rest) { rest_ = rest; }
  /// The same after the value of this flag: `-m package --help` is Python's.
  void end_after(std::string_view name) { named(name).ends = true; }

  struct Parsed {
    std::vector<std::string> words;  // what is not a flag
    std::vector<std::string> warnings;
  };
  std::variant<Parsed, FlagError> read(const std::vector<std::string>& args);
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
    bool ends = false;        // what follows its value is not read as flags
    std::string help = {};
    std::vector<std::string> choices = {};
    FlagType type = FlagType::kString;
    std::string fallback = {};  // the default as text; "" when none is shown

    /// Returns `  -x, --name`, or only the name, indented to the same column.
    std::string spelling() const;
  };
  std::vector<Listed> list() const { return {flags_.begin(), flags_.end()}; }
  /// Returns the current value of a flag that takes text; "" for all others.
  std::string text_of(std::string_view name) const;

 private:
  struct Flag : Listed {
    Target target;
    std::string implied = "true";  // the value of the bare flag, unless it takes a word
    std::vector<std::string> old_names = {};
    std::pair<std::vector<std::string>, std::string> explained = {};
    bool required = false;
    bool was_set = false;
  };
  class Parser;

  Flag& named(std::string_view name);

  std::vector<Flag> flags_;
  Rules rules_;
  std::optional<std::vector<std::string>>* rest_ = nullptr;
  bool ends_at_first_word_ = false;
};

/// A word of a command line as a flag: `--name`, `--name=value`, `-x`, `-x=value` or `-xvalue`.
struct FlagWord {
  const Flags::Listed* flag = nullptr;    // null when it is not one of the known ones
  std::optional<std::string> value = {};  // the one in the same word

  bool takes_next_word() const { return flag != nullptr && flag->takes_word && !value; }
};
FlagWord flag_word(const std::string& word, const std::vector<Flags::Listed>& known);

}  // namespace muster::cli
