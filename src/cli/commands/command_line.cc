#include "cli/commands/command_line.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "cli/connect/connect.h"

namespace muster::cli {

namespace {

bool stands_for_command(const std::string& word) {
  return word == "--help" || word == "-h" || word == "--version";
}

/// Returns how many words the flag takes, its value included, or 0 when it is not one of `flags`.
std::size_t words_of(const std::string& word, const std::vector<Flags::Listed>& flags) {
  for (const Flags::Listed& flag : flags) {
    if (word == "--" + flag.name) return flag.takes_word ? 2 : 1;
    if (word.starts_with("--" + flag.name + "=")) return 1;
    if (flag.letter == '\0' || !word.starts_with(std::string("-") + flag.letter)) continue;
    return word.size() == 2 ? 2 : 1;
  }
  return 0;
}

}  // namespace

Result<std::vector<std::string>> command_first(const std::vector<std::string>& args) {
  ConnectOptions unused;
  Flags common;
  unused.add_flags(common);
  std::size_t at = 0;
  while (at < args.size() && args[at].size() > 1 && args[at][0] == '-' && !stands_for_command(args[at])) {
    const std::size_t taken = words_of(args[at], common.list());
    if (taken == 0) {
      std::vector<std::string> names;
      for (const Flags::Listed& flag : common.list()) names.push_back("--" + flag.name);
      std::string message = fmt::format("unknown flag {} before the command", args[at]);
      const auto meant = did_you_mean(args[at].substr(0, args[at].find('=')), names);
      message += meant ? fmt::format("; did you mean {}?", *meant) : "; flags of a command come after it";
      return Error{.reason = Reason::kBadRequest, .message = std::move(message)};
    }
    if (at + taken > args.size()) {
      return Error{.reason = Reason::kBadRequest, .message = fmt::format("flag {} needs a value", args[at])};
    }
    at += taken;
  }
  if (at == args.size()) return std::vector<std::string>{};
  const auto command = args.begin() + static_cast<std::ptrdiff_t>(at);
  std::vector<std::string> out{*command};
  out.insert(out.end(), args.begin(), command);
  out.insert(out.end(), command + 1, args.end());
  return out;
}

}  // namespace muster::cli
