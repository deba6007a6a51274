#include "cli/flags/flags.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/overloaded.h"
#include "base/strings.h"
#include "base/visible_text.h"

namespace muster::cli {

namespace {

bool is_flag(const std::string& word) {
  return word.size() > 1 && word[0] == '-';  // a single dash means stdin
}

std::optional<Duration> seconds_of(std::string_view text) {
  const auto seconds = parse_int(text);
  if (!seconds || *seconds <= -1'000'000'000 || *seconds >= 1'000'000'000) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

// In the order of Flags::Target.
constexpr FlagType kTypes[] = {FlagType::kString,   FlagType::kBool,     FlagType::kInt, FlagType::kInt,
                               FlagType::kDuration, FlagType::kDuration, FlagType::kList};
static_assert(std::size(kTypes) == std::variant_size_v<Flags::Target>);

std::string default_text(const Flags::Target& target) {
  return std::visit(Overloaded{
                        [](const std::string* value) { return *value; },
                        [](const bool* value) { return std::string(*value ? "true" : ""); },
                        [](const std::int64_t* value) { return *value == 0 ? "" : std::to_string(*value); },
                        [](const std::optional<std::int64_t>* value) { return *value ? std::to_string(**value) : ""; },
                        [](const Duration* value) { return *value == Duration(0) ? "" : human_duration(*value); },
                        [](const std::optional<Duration>* value) { return *value ? human_duration(**value) : ""; },
                        [](const std::vector<std::string>* value) { return join(*value, ","); },
                    },
                    target);
}

std::string_view expected(FlagType type) {
  if (type == FlagType::kBool) return "true or false";
  return type == FlagType::kInt ? "a whole number" : "a duration such as 30s, 5m or 1h30m";
}

std::string error_message(const FlagError& error) {
  const bool is_letter = error.letter != '\0';
  switch (error.kind) {
    case FlagError::Kind::kUnknown:
      if (is_letter) return fmt::format("unknown flag -{} in {}", error.letter, quote(error.word));
      return fmt::format("unknown flag --{}", error.name) +
             (error.meant ? fmt::format("; did you mean --{}?", *error.meant) : "");
    case FlagError::Kind::kNeedsValue:
      if (is_letter) return fmt::format("flag -{} (--{}) needs a value", error.letter, error.name);
      return fmt::format("flag --{} needs a value", error.name);
    case FlagError::Kind::kWrongValue:
      return fmt::format("flag --{}: must be {}, got {}{}", error.name, expected(error.type), quote(error.value),
                         error.instead.empty() ? "" : "; " + error.instead);
    case FlagError::Kind::kMissing:
      break;
  }
  return fmt::format("missing --{}", join(error.missing, " and --"));
}

}  // namespace

void Flags::add(std::string name, Target target, std::string help, char letter) {
  const FlagType type = kTypes[target.index()];
  flags_.push_back({{.name = std::move(name),
                     .letter = letter,
                     .takes_word = type != FlagType::kBool,
                     .help = std::move(help),
                     .type = type,
                     .fallback = default_text(target)},
                    target});
}

Flags::Flag& Flags::named(std::string_view name) {
  const auto found = std::ranges::find(flags_, name, &Flag::name);
  CHECK(found != flags_.end());
  return *found;
}

void Flags::set_implied(std::string_view name, std::string value) {
  Flag& flag = named(name);
  flag.implied = std::move(value);
  flag.takes_word = false;
}

/// One pass over the words of a command line.
class Flags::Parser {
 public:
  Parser(Flags& flags, const std::vector<std::string>& args) : table_(flags), args_(args) {}

  std::variant<Parsed, FlagError> run() {
    for (; at_ < args_.size(); ++at_) {
      const std::string& arg = args_[at_];
      const bool ends = arg == "--";
      if (ends || (!is_flag(arg) && table_.ends_at_first_word_)) {
        const auto rest = args_.begin() + static_cast<std::ptrdiff_t>(at_ + (ends ? 1 : 0));
        if (ends && table_.rest_ != nullptr) {
          table_.rest_->emplace(rest, args_.end());
          break;
        }
        out_.words.insert(out_.words.end(), rest, args_.end());
        break;
      }
      if (!is_flag(arg)) {
        out_.words.push_back(arg);
      } else if (auto error = arg[1] == '-' ? read_long(arg) : read_letters(arg)) {
        return *std::move(error);
      }
      if (!has_ended_) continue;
      out_.words.insert(out_.words.end(), args_.begin() + static_cast<std::ptrdiff_t>(at_ + 1), args_.end());
      break;
    }
    if (auto error = missing()) return *std::move(error);
    take_back_bool_word();
    return std::move(out_);
  }

 private:
  using Kind = FlagError::Kind;

  Flag* find(std::string_view name) {
    for (Flag& flag : table_.flags_) {
      if (flag.name == name) return &flag;
      if (std::ranges::find(flag.old_names, name) == flag.old_names.end()) continue;
      out_.warnings.push_back(fmt::format("Flag --{} has been deprecated, please use --{} instead", name, flag.name));
      return &flag;
    }
    return nullptr;
  }

  std::optional<FlagError> read_long(const std::string& arg) {
    const std::size_t equals = arg.find('=');
    const std::string name = arg.substr(2, equals - 2);
    Flag* flag = find(name);
    if (flag == nullptr) return FlagError{.kind = Kind::kUnknown, .word = arg, .name = name, .meant = closest_to(name)};
    if (equals != std::string::npos) return assign(*flag, '\0', arg.substr(equals + 1));
    return flag->takes_word ? assign_next_word(*flag, '\0') : assign_bare(*flag);
  }

  std::optional<FlagError> read_letters(const std::string& arg) {
    for (std::size_t i = 1; i < arg.size(); ++i) {
      const auto flag = std::ranges::find(table_.flags_, arg[i], &Flag::letter);
      if (flag == table_.flags_.end()) return FlagError{.kind = Kind::kUnknown, .word = arg, .letter = arg[i]};
      const std::string rest = arg.substr(i + 1);
      if (rest.starts_with('=')) return assign(*flag, arg[i], rest.substr(1));
      if (flag->takes_word) return rest.empty() ? assign_next_word(*flag, arg[i]) : assign(*flag, arg[i], rest);
      if (auto error = assign(*flag, arg[i], flag->implied)) return error;
    }
    return std::nullopt;
  }

  std::optional<FlagError> assign_next_word(Flag& flag, char letter) {
    if (at_ + 1 < args_.size()) return assign(flag, letter, args_[++at_]);
    return FlagError{.kind = Kind::kNeedsValue, .word = args_[at_], .letter = letter, .name = flag.name};
  }

  std::optional<FlagError> assign_bare(Flag& flag) {
    const bool has_next = table_.rules_.bools_take_a_word && at_ + 1 < args_.size();
    if (!has_next || (args_[at_ + 1] != "true" && args_[at_ + 1] != "false")) return assign(flag, '\0', flag.implied);
    bool_word_ = {.word = args_[++at_], .flag = &flag};
    return assign(flag, '\0', args_[at_]);
  }

  /// A lone `true` after a flag is the command, not the value of the flag.
  void take_back_bool_word() {
    const auto& [word, flag] = bool_word_;
    if (flag == nullptr) return;
    if (!out_.words.empty()) {
      out_.warnings.push_back(fmt::format("--{0} {1} was read as --{0}={1}", flag->name, word));
      return;
    }
    out_.words.push_back(word);
    store(*flag, flag->implied);
  }

  std::optional<std::string> closest_to(std::string_view name) const {
    std::vector<std::string> names;
    for (const Flag& flag : table_.flags_) names.push_back(flag.name);
    return did_you_mean(name, names);
  }

  std::optional<FlagError> missing() const {
    FlagError error{.kind = Kind::kMissing};
    for (const Flag& flag : table_.flags_) {
      if (flag.required && !flag.was_set) error.missing.push_back(flag.name);
    }
    if (error.missing.empty()) return std::nullopt;
    return error;
  }

  std::optional<FlagError> assign(Flag& flag, char letter, const std::string& value) {
    const bool is_good = store(flag, value);
    flag.was_set = true;
    has_ended_ = flag.ends;
    if (is_good) return std::nullopt;
    const auto& [explained, instead] = flag.explained;
    const bool is_explained = std::ranges::find(explained, value) != explained.end();
    return FlagError{.kind = Kind::kWrongValue,
                     .letter = letter,
                     .name = flag.name,
                     .type = flag.type,
                     .value = value,
                     .instead = is_explained ? instead : ""};
  }

  /// Returns false when the value is not of the flag's type.
  bool store(const Flag& flag, const std::string& value) const {
    const auto put = [](auto* target, const auto& parsed) {
      if (parsed) *target = *parsed;
      return parsed.has_value();
    };
    return std::visit(Overloaded{
                          [&](std::string* target) { return put(target, std::optional(value)); },
                          [&](bool* target) { return put(target, parse_bool(value)); },
                          [&](std::int64_t* target) { return put(target, parse_int(value)); },
                          [&](std::optional<std::int64_t>* target) { return put(target, parse_int(value)); },
                          [&](Duration* target) { return put(target, duration_of(value)); },
                          [&](std::optional<Duration>* target) { return put(target, duration_of(value)); },
                          [&](std::vector<std::string>* target) {
                            if (!flag.was_set) target->clear();  // the first value replaces the default
                            const auto items = table_.rules_.commas_separate ? split(value, ',') : std::vector{value};
                            target->insert(target->end(), items.begin(), items.end());
                            return true;
                          },
                      },
                      flag.target);
  }

  std::optional<Duration> duration_of(const std::string& value) const {
    const auto seconds = table_.rules_.numbers_are_seconds ? seconds_of(value) : std::nullopt;
    return seconds ? seconds : parse_duration(value);
  }

  struct BoolWord {
    std::string word;
    Flag* flag = nullptr;
  };

  Flags& table_;
  const std::vector<std::string>& args_;
  std::size_t at_ = 0;
  bool has_ended_ = false;
  BoolWord bool_word_;
  Parsed out_;
};

std::variant<Flags::Parsed, FlagError> Flags::read(const std::vector<std::string>& args) {
  return Parser(*this, args).run();
}

Result<std::vector<std::string>> Flags::parse(const std::vector<std::string>& args) {
  auto result = read(args);
  if (auto* parsed = std::get_if<Parsed>(&result)) return std::move(parsed->words);
  return Error{.reason = Reason::kBadRequest, .message = error_message(std::get<FlagError>(result))};
}

bool Flags::asks_for_help(const std::vector<std::string>& args) const {
  for (std::size_t at = 0; at < args.size(); ++at) {
    const std::string& arg = args[at];
    if (arg == "-h" || arg == "--help") return true;
    if (arg == "--") return false;
    if (!ends_at_first_word_) continue;
    if (!is_flag(arg)) return false;
    const std::vector<Listed> known = list();
    const FlagWord found = flag_word(arg, known);
    if (found.flag != nullptr && found.flag->ends) return false;
    if (found.takes_next_word()) ++at;
  }
  return false;
}

std::string Flags::Listed::spelling() const {
  return letter != '\0' ? fmt::format("  -{}, --{}", letter, name) : fmt::format("      --{}", name);
}

std::string Flags::help() const {
  constexpr std::size_t kWidth = 80;
  constexpr std::size_t kColumn = 30;
  std::string out;
  for (const Flag& flag : flags_) {
    std::string left = flag.spelling();
    if (flag.type != FlagType::kBool) left += flag.takes_word ? " VALUE" : "[=VALUE]";
    const std::string help =
        flag.fallback.empty() ? flag.help : fmt::format("{} (default {})", flag.help, flag.fallback);
    for (const std::string& line : wrapped(help, kWidth - kColumn - 1)) {
      out += fmt::format("{:<{}} {}\n", std::exchange(left, ""), kColumn, line);
    }
  }
  return out;
}

std::string Flags::text_of(std::string_view name) const {
  const auto found = std::ranges::find(flags_, name, &Flag::name);
  if (found == flags_.end()) return "";
  const auto* text = std::get_if<std::string*>(&found->target);
  return text == nullptr ? "" : **text;
}

FlagWord flag_word(const std::string& word, const std::vector<Flags::Listed>& known) {
  FlagWord out;
  if (!is_flag(word)) return out;
  const bool is_long = word.starts_with("--");
  const std::size_t end = std::min(word.find('='), is_long ? word.size() : 2);
  if (end < word.size()) out.value = word.substr(word[end] == '=' ? end + 1 : end);
  const auto flag = std::ranges::find_if(known, [&](const Flags::Listed& one) {
    return is_long ? std::string_view(word).substr(2, end - 2) == one.name : one.letter == word[1];
  });
  if (flag != known.end()) out.flag = &*flag;
  return out;
}

}  // namespace muster::cli
