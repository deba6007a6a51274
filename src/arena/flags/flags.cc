#include "arena/flags/flags.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"

namespace muster::arena {

namespace {

using cli::FlagError;
using cli::FlagType;

bool is_number_text(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// The error text of Go's parser for the type.
std::string why_wrong(FlagType type, const std::string& value) {
  if (type == FlagType::kDuration) return fmt::format("time: invalid duration {}", quote(value));
  const bool is_int = type == FlagType::kInt;
  return fmt::format("strconv.{}: parsing {}: {}", is_int ? "ParseInt" : "ParseBool", quote(value),
                     is_int && is_number_text(value) ? "value out of range" : "invalid syntax");
}

bool is_malformed(std::string_view name) {
  return name.empty() || name.starts_with('-');
}

std::string unknown_text(const FlagError& error) {
  if (error.letter != '\0') return fmt::format("unknown shorthand flag: '{}' in {}", error.letter, error.word);
  if (is_malformed(error.name)) return "bad flag syntax: " + error.word;
  return "unknown flag: --" + error.name;
}

// In the order of FlagType.
constexpr const char* kTypeNames[] = {" string", "", " int", " duration", " stringArray"};

std::string pflag_text(const FlagError& error) {
  const bool is_letter = error.letter != '\0';
  switch (error.kind) {
    case FlagError::Kind::kUnknown:
      return unknown_text(error);
    case FlagError::Kind::kNeedsValue:
      return "flag needs an argument: " +
             (is_letter ? fmt::format("'{}' in {}", error.letter, error.word) : error.word);
    case FlagError::Kind::kWrongValue:
      return fmt::format("invalid argument {} for \"{}--{}\" flag: {}", quote(error.value),
                         is_letter ? fmt::format("-{}, ", error.letter) : "", error.name,
                         why_wrong(error.type, error.value));
    case FlagError::Kind::kMissing:
      break;
  }
  return fmt::format("required flag(s) \"{}\" not set", join(error.missing, "\", \""));
}

}  // namespace

std::variant<Flags::Parsed, cli::Failure> Flags::parse(const std::vector<std::string>& args) {
  auto result = read(args);
  if (auto* parsed = std::get_if<Parsed>(&result)) return std::move(*parsed);
  const auto& error = std::get<FlagError>(result);
  const bool is_typo = error.meant && !is_malformed(error.name);
  return cli::Failure{.what = pflag_text(error), .fix = is_typo ? fmt::format("did you mean --{}?", *error.meant) : ""};
}

std::string Flags::help() const {
  const auto left = [](const Listed& flag) {
    return flag.spelling() + kTypeNames[static_cast<std::size_t>(flag.type)];
  };
  const std::vector<Listed> flags = list();
  std::size_t width = 0;
  for (const Listed& flag : flags) width = std::max(width, left(flag).size());
  std::string out;
  for (const Listed& flag : flags) {
    out += fmt::format("{:<{}}   {}", left(flag), width, flag.help);
    const bool is_text = flag.type == FlagType::kString;
    if (!flag.fallback.empty()) out += fmt::format(" (default {})", is_text ? quote(flag.fallback) : flag.fallback);
    out += '\n';
  }
  return out;
}

std::size_t words_of_flag(const std::vector<std::string>& args, std::size_t at,
                          const std::vector<Flags::Listed>& known) {
  const auto [flag, value] = cli::flag_word(args[at], known);
  const bool takes_word = !value && (flag == nullptr || flag->takes_word);
  return takes_word && at + 1 < args.size() ? 2 : 1;
}

}  // namespace muster::arena
