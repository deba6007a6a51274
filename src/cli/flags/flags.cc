#include "cli/flags/flags.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/overloaded.h"
#include "base/strings.h"
#include "base/visible_text.h"

namespace muster::cli {

namespace {

Error usage(std::string message) {
  return Error{.reason = Reason::kBadRequest, .message = std::move(message)};
}

std::optional<Duration> parse_span(std::string_view text) {
  if (const auto seconds = parse_int(text); seconds && *seconds > -1'000'000'000 && *seconds < 1'000'000'000) {
    return std::chrono::seconds(*seconds);
  }
  return parse_duration(text);
}

}  // namespace

void Flags::add(std::string name, Target target, std::string help, char letter, std::string fallback) {
  flags_.push_back({.name = std::move(name),
                    .letter = letter,
                    .target = target,
                    .help = std::move(help),
                    .fallback = std::move(fallback),
                    .implied = std::nullopt});
}

void Flags::add_string(std::string name, std::string* value, std::string help, char letter) {
  add(std::move(name), value, std::move(help), letter, *value);
}

void Flags::add_bool(std::string name, bool* value, std::string help, char letter) {
  add(std::move(name), value, std::move(help), letter, *value ? "true" : "");
  flags_.back().implied = "true";
}

void Flags::add_int(std::string name, std::optional<std::int64_t>* value, std::string help, char letter) {
  add(std::move(name), value, std::move(help), letter, *value ? std::to_string(**value) : "");
}

void Flags::add_duration(std::string name, std::optional<Duration>* value, std::string help, char letter) {
  add(std::move(name), value, std::move(help), letter, *value ? human_duration(**value) : "");
}

void Flags::add_list(std::string name, std::vector<std::string>* value, std::string help, char letter) {
  add(std::move(name), value, std::move(help), letter, join(*value, ","));
}

void Flags::set_implied(const std::string& name, std::string value) {
  Flag* flag = find(name);
  CHECK(flag != nullptr);
  flag->implied = std::move(value);
}

void Flags::set_choices(const std::string& name, std::vector<std::string> choices) {
  Flag* flag = find(name);
  CHECK(flag != nullptr);
  flag->choices = std::move(choices);
}

Result<std::vector<std::string>> Flags::parse(const std::vector<std::string>& args) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < args.size(); ++at) {
    const std::string& arg = args[at];
    if (arg == "--") {
      words.insert(words.end(), args.begin() + static_cast<std::ptrdiff_t>(at) + 1, args.end());
      break;
    }
    if (arg.starts_with("--")) {
      TRY(parse_long(args, at));
    } else if (arg.size() > 1 && arg[0] == '-') {
      TRY(parse_letters(args, at));
    } else if (ends_at_first_word_) {
      words.assign(args.begin() + static_cast<std::ptrdiff_t>(at), args.end());
      break;
    } else {
      words.push_back(arg);  // a single dash is not a flag: it means stdin
    }
  }
  return words;
}

bool Flags::asks_for_help(const std::vector<std::string>& args) const {
  for (std::size_t at = 0; at < args.size(); ++at) {
    const std::string& arg = args[at];
    if (arg == "-h" || arg == "--help") return true;
    if (arg == "--") return false;
    const bool is_word = arg.size() < 2 || arg[0] != '-';
    if (is_word && ends_at_first_word_) return false;
    if (ends_at_first_word_ && takes_next_word(arg)) ++at;
  }
  return false;
}

bool Flags::takes_next_word(const std::string& arg) const {
  return std::ranges::any_of(list(), [&arg](const Listed& flag) {
    return flag.takes_word && (arg == "--" + flag.name || arg == std::string("-") + flag.letter);
  });
}

Flags::Flag* Flags::find(std::string_view name) {
  const auto found = std::ranges::find(flags_, name, &Flag::name);
  return found == flags_.end() ? nullptr : &*found;
}

Flags::Flag* Flags::find(char letter) {
  const auto found = std::ranges::find(flags_, letter, &Flag::letter);
  return found == flags_.end() ? nullptr : &*found;
}

Status Flags::parse_long(const std::vector<std::string>& args, std::size_t& at) {
  const std::string_view arg = std::string_view(args[at]).substr(2);
  const std::size_t equals = arg.find('=');
  const std::string_view name = arg.substr(0, equals);
  Flag* flag = find(name);
  if (flag == nullptr) return unknown(name);
  if (equals != std::string_view::npos) return assign(*flag, std::string(arg.substr(equals + 1)));
  if (flag->implied) return assign(*flag, *flag->implied);
  if (at + 1 == args.size()) return usage(fmt::format("flag --{} needs a value", name));
  return assign(*flag, args[++at]);
}

Status Flags::parse_letters(const std::vector<std::string>& args, std::size_t& at) {
  const std::string_view letters = std::string_view(args[at]).substr(1);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    Flag* flag = find(letters[i]);
    if (flag == nullptr) return usage(fmt::format("unknown flag -{} in {}", letters[i], quote(args[at])));
    const std::string_view rest = letters.substr(i + 1);
    if (rest.starts_with('=')) return assign(*flag, std::string(rest.substr(1)));
    if (flag->implied) {
      TRY(assign(*flag, *flag->implied));
      continue;
    }
    if (!rest.empty()) return assign(*flag, std::string(rest));
    if (at + 1 == args.size()) return usage(fmt::format("flag -{} (--{}) needs a value", flag->letter, flag->name));
    return assign(*flag, args[++at]);
  }
  return ok();
}

Error Flags::unknown(std::string_view name) const {
  std::vector<std::string> names;
  for (const Flag& flag : flags_) names.push_back(flag.name);
  std::string message = fmt::format("unknown flag --{}", name);
  if (const auto meant = did_you_mean(name, names)) message += fmt::format("; did you mean --{}?", *meant);
  return usage(std::move(message));
}

Status Flags::assign(Flag& flag, const std::string& value) {
  const auto wrong = [&](std::string_view expected) {
    return usage(fmt::format("flag --{}: must be {}, got {}", flag.name, expected, quote(value)));
  };
  const bool first = !flag.was_set;
  flag.was_set = true;
  return std::visit(Overloaded{
                        [&](std::string* target) -> Status {
                          *target = value;
                          return ok();
                        },
                        [&](bool* target) -> Status {
                          const auto parsed = parse_bool(value);
                          if (!parsed) return wrong("true or false");
                          *target = *parsed;
                          return ok();
                        },
                        [&](std::optional<std::int64_t>* target) -> Status {
                          *target = parse_int(value);
                          return *target ? ok() : Status(wrong("a whole number"));
                        },
                        [&](std::optional<Duration>* target) -> Status {
                          *target = parse_span(value);
                          return *target ? ok() : Status(wrong("a duration such as 30s, 5m or 1h30m"));
                        },
                        [&](std::vector<std::string>* target) -> Status {
                          if (first) target->clear();  // the first value replaces the default
                          for (std::string& item : split(value, ',')) target->push_back(std::move(item));
                          return ok();
                        },
                    },
                    flag.target);
}

std::string Flags::help() const {
  constexpr std::size_t kWidth = 80;
  constexpr std::size_t kColumn = 30;
  std::string out;
  for (const Flag& flag : flags_) {
    const bool takes_value = !std::holds_alternative<bool*>(flag.target);
    std::string left =
        flag.letter != '\0' ? fmt::format("  -{}, --{}", flag.letter, flag.name) : fmt::format("      --{}", flag.name);
    if (takes_value) left += flag.implied ? "[=VALUE]" : " VALUE";
    const std::string help =
        flag.fallback.empty() ? flag.help : fmt::format("{} (default {})", flag.help, flag.fallback);
    for (const std::string& line : wrapped(help, kWidth - kColumn - 1)) {
      out += fmt::format("{:<{}} {}\n", std::exchange(left, ""), kColumn, line);
    }
  }
  return out;
}

std::vector<Flags::Listed> Flags::list() const {
  std::vector<Listed> out;
  for (const Flag& flag : flags_) {
    out.push_back({.name = flag.name,
                   .letter = flag.letter,
                   .takes_word = !flag.implied.has_value(),
                   .help = flag.help,
                   .choices = flag.choices});
  }
  return out;
}

std::string Flags::text_of(std::string_view name) const {
  const auto found = std::ranges::find(flags_, name, &Flag::name);
  if (found == flags_.end()) return "";
  const auto* text = std::get_if<std::string*>(&found->target);
  return text == nullptr ? "" : **text;
}

}  // namespace muster::cli
