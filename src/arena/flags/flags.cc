#include "arena/flags/flags.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/overloaded.h"
#include "base/strings.h"

namespace muster::arena {

namespace {

using cli::Failure;

Failure wrong_flags(std::string what, std::string fix = {}) {
  return {.what = std::move(what), .fix = std::move(fix)};
}

bool is_number_text(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

}  // namespace

void Flags::add_target(std::string name, Target target, std::string help, char letter, std::string fallback) {
  flags_.push_back({.name = std::move(name),
                    .letter = letter,
                    .target = target,
                    .help = std::move(help),
                    .fallback = std::move(fallback)});
}

void Flags::add(std::string name, std::string* value, std::string help, char letter) {
  add_target(std::move(name), value, std::move(help), letter, value->empty() ? "" : quote(*value));
}

void Flags::add(std::string name, bool* value, std::string help, char letter) {
  add_target(std::move(name), value, std::move(help), letter, *value ? "true" : "");
}

void Flags::add(std::string name, std::int64_t* value, std::string help, char letter) {
  add_target(std::move(name), value, std::move(help), letter, *value == 0 ? "" : std::to_string(*value));
}

void Flags::add(std::string name, Duration* value, std::string help, char letter) {
  add_target(std::move(name), value, std::move(help), letter, *value == Duration(0) ? "" : human_duration(*value));
}

void Flags::add(std::string name, std::vector<std::string>* value, std::string help, char letter) {
  add_target(std::move(name), value, std::move(help), letter, join(*value, ","));
}

Flags::Flag& Flags::named(std::string_view name) {
  const auto found = std::ranges::find(flags_, name, &Flag::name);
  CHECK(found != flags_.end());
  return *found;
}

void Flags::add_old_name(const std::string& name, std::string old) {
  named(name).old_names.push_back(std::move(old));
}

void Flags::require(const std::string& name) {
  named(name).required = true;
}

void Flags::set_choices(const std::string& name, std::vector<std::string> choices) {
  named(name).choices = std::move(choices);
}

/// One pass over the words of a command line.
class Flags::Parser {
 public:
  Parser(std::vector<Flag>& flags, const std::vector<std::string>& args) : flags_(flags), args_(args) {}

  std::variant<Parsed, Failure> run() {
    for (; at_ < args_.size(); ++at_) {
      const std::string& arg = args_[at_];
      if (arg == "--") {
        out_.words.insert(out_.words.end(), args_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, args_.end());
        break;
      }
      std::optional<Failure> failure;
      if (arg.starts_with("--")) {
        failure = read_long(std::string_view(arg).substr(2));
      } else if (arg.size() > 1 && arg[0] == '-') {
        failure = read_letters(std::string_view(arg).substr(1));
      } else {
        out_.words.push_back(arg);
      }
      if (failure) return *std::move(failure);
    }
    if (auto failure = missing()) return *std::move(failure);
    take_back_bool_word();
    return std::move(out_);
  }

 private:
  Flag* find(std::string_view name) {
    for (Flag& flag : flags_) {
      if (flag.name == name) return &flag;
      if (std::ranges::find(flag.old_names, name) == flag.old_names.end()) continue;
      out_.warnings.push_back(fmt::format("Flag --{} has been deprecated, please use --{} instead", name, flag.name));
      return &flag;
    }
    return nullptr;
  }

  std::optional<Failure> read_long(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (name.empty() || name.starts_with('-')) return wrong_flags("bad flag syntax: --" + std::string(text));
    Flag* flag = find(name);
    if (flag == nullptr) return unknown(name);
    const std::string shown = "--" + flag->name;
    if (equals != std::string_view::npos) return assign(*flag, shown, std::string(text.substr(equals + 1)));
    if (std::holds_alternative<bool*>(flag->target)) return read_bool(*flag, shown);
    if (at_ + 1 == args_.size()) return wrong_flags("flag needs an argument: --" + std::string(name));
    return assign(*flag, shown, args_[++at_]);
  }

  std::optional<Failure> read_letters(std::string_view letters) {
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const auto flag = std::ranges::find(flags_, letters[i], &Flag::letter);
      if (flag == flags_.end()) {
        return wrong_flags(fmt::format("unknown shorthand flag: {} in -{}", quote_letter(letters[i]), letters));
      }
      const std::string shown = fmt::format("-{}, --{}", flag->letter, flag->name);
      const std::string_view rest = letters.substr(i + 1);
      if (rest.starts_with('=')) return assign(*flag, shown, std::string(rest.substr(1)));
      if (std::holds_alternative<bool*>(flag->target)) {
        *std::get<bool*>(flag->target) = true;
        flag->was_set = true;
        continue;
      }
      if (!rest.empty()) return assign(*flag, shown, std::string(rest));
      if (at_ + 1 == args_.size()) {
        return wrong_flags(fmt::format("flag needs an argument: {} in -{}", quote_letter(letters[i]), letters));
      }
      return assign(*flag, shown, args_[++at_]);
    }
    return std::nullopt;
  }

  static std::string quote_letter(char letter) { return fmt::format("'{}'", letter); }

  /// `--flag true` is what Arena's own help shows, although pflag would take the word as the start of the command.
  std::optional<Failure> read_bool(Flag& flag, const std::string& shown) {
    const bool has_value = at_ + 1 < args_.size() && (args_[at_ + 1] == "true" || args_[at_ + 1] == "false");
    if (!has_value) return assign(flag, shown, "true");
    bool_word_ = {.word = args_[++at_], .flag = &flag};
    return assign(flag, shown, args_[at_]);
  }

  /// A lone `true` after a flag is the command, not the value of the flag.
  void take_back_bool_word() {
    if (!bool_word_) return;
    if (out_.words.empty()) {
      out_.words.push_back(bool_word_->word);
      *std::get<bool*>(bool_word_->flag->target) = true;
      return;
    }
    out_.warnings.push_back(fmt::format("--{0} {1} was read as --{0}={1}", bool_word_->flag->name, bool_word_->word));
  }

  Failure unknown(std::string_view name) const {
    std::vector<std::string> names;
    for (const Flag& flag : flags_) names.push_back(flag.name);
    const auto meant = did_you_mean(name, names);
    return wrong_flags(fmt::format("unknown flag: --{}", name), meant ? fmt::format("did you mean --{}?", *meant) : "");
  }

  std::optional<Failure> missing() const {
    std::vector<std::string> names;
    for (const Flag& flag : flags_) {
      if (flag.required && !flag.was_set) names.push_back(fmt::format("\"{}\"", flag.name));
    }
    if (names.empty()) return std::nullopt;
    return wrong_flags(fmt::format("required flag(s) {} not set", join(names, ", ")));
  }

  std::optional<Failure> assign(Flag& flag, const std::string& shown, const std::string& value) {
    const auto wrong = [&](std::string_view why) -> std::optional<Failure> {
      return wrong_flags(fmt::format("invalid argument {} for \"{}\" flag: {}", quote(value), shown, why));
    };
    const auto unparsable = [&](std::string_view function, std::string_view why) {
      return wrong(fmt::format("strconv.{}: parsing {}: {}", function, quote(value), why));
    };
    flag.was_set = true;
    return std::visit(Overloaded{
                          [&](std::string* target) -> std::optional<Failure> {
                            *target = value;
                            return std::nullopt;
                          },
                          [&](bool* target) -> std::optional<Failure> {
                            const auto parsed = parse_bool(value);
                            if (!parsed) return unparsable("ParseBool", "invalid syntax");
                            *target = *parsed;
                            return std::nullopt;
                          },
                          [&](std::int64_t* target) -> std::optional<Failure> {
                            const auto parsed = parse_int(value);
                            if (!parsed)
                              return unparsable("ParseInt",
                                                is_number_text(value) ? "value out of range" : "invalid syntax");
                            *target = *parsed;
                            return std::nullopt;
                          },
                          [&](Duration* target) -> std::optional<Failure> {
                            const auto parsed = parse_duration(value);
                            if (!parsed) return wrong(fmt::format("time: invalid duration {}", quote(value)));
                            *target = *parsed;
                            return std::nullopt;
                          },
                          [&](std::vector<std::string>* target) -> std::optional<Failure> {
                            target->push_back(value);
                            return std::nullopt;
                          },
                      },
                      flag.target);
  }

  struct BoolWord {
    std::string word;
    Flag* flag = nullptr;
  };

  std::vector<Flag>& flags_;
  const std::vector<std::string>& args_;
  std::size_t at_ = 0;
  std::optional<BoolWord> bool_word_;
  Parsed out_;
};

std::variant<Flags::Parsed, cli::Failure> Flags::parse(const std::vector<std::string>& args) {
  return Parser(flags_, args).run();
}

std::string Flags::help() const {
  constexpr const char* kTypes[] = {" string", "", " int", " duration", " stringArray"};  // in the order of Target
  std::vector<std::string> left;
  std::size_t width = 0;
  for (const Flag& flag : flags_) {
    left.push_back(flag.letter != '\0' ? fmt::format("  -{}, --{}", flag.letter, flag.name)
                                       : fmt::format("      --{}", flag.name));
    left.back() += kTypes[flag.target.index()];
    width = std::max(width, left.back().size());
  }
  std::string out;
  for (std::size_t i = 0; i < flags_.size(); ++i) {
    out += fmt::format("{:<{}}   {}", left[i], width, flags_[i].help);
    if (!flags_[i].fallback.empty()) out += fmt::format(" (default {})", flags_[i].fallback);
    out += '\n';
  }
  return out;
}

std::vector<Flags::Listed> Flags::list() const {
  std::vector<Listed> out;
  for (const Flag& flag : flags_) {
    out.push_back({.name = flag.name,
                   .letter = flag.letter,
                   .takes_word = !std::holds_alternative<bool*>(flag.target),
                   .help = flag.help,
                   .choices = flag.choices});
  }
  return out;
}

std::size_t words_of_flag(const std::vector<std::string>& args, std::size_t at,
                          const std::vector<Flags::Listed>& known) {
  const std::string& arg = args[at];
  if (arg.find('=') != std::string::npos) return 1;
  const bool is_long = arg.starts_with("--");
  if (!is_long && arg.size() > 2) return 1;
  const auto flag = std::ranges::find_if(
      known, [&](const Flags::Listed& one) { return is_long ? arg.substr(2) == one.name : one.letter == arg[1]; });
  const bool takes_word = flag == known.end() || flag->takes_word;
  return takes_word && at + 1 < args.size() ? 2 : 1;
}

}  // namespace muster::arena
