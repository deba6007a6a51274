#include "cli/commands/command_line.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "cli/connect/connect.h"

namespace muster::cli {

namespace {

bool stands_for_command(const std::string& word) {
  return word == "--help" || word == "-h" || word == "--version";
}

}  // namespace

Result<std::vector<std::string>> command_first(const std::vector<std::string>& args) {
  ConnectOptions unused;
  Flags common;
  unused.add_flags(common);
  const std::vector<Flags::Listed> known = common.list();
  std::size_t at = 0;
  while (at < args.size() && args[at].size() > 1 && args[at][0] == '-' && !stands_for_command(args[at])) {
    const FlagWord word = flag_word(args[at], known);
    if (word.flag == nullptr) {
      std::vector<std::string> names;
      for (const Flags::Listed& flag : known) names.push_back("--" + flag.name);
      std::string message = fmt::format("unknown flag {} before the command", args[at]);
      const auto meant = did_you_mean(args[at].substr(0, args[at].find('=')), names);
      message += meant ? fmt::format("; did you mean {}?", *meant) : "; flags of a command come after it";
      return Error{.reason = Reason::kBadRequest, .message = std::move(message)};
    }
    at += word.takes_next_word() ? 2 : 1;
    if (at > args.size()) {
      return Error{.reason = Reason::kBadRequest, .message = fmt::format("flag {} needs a value", args.back())};
    }
  }
  if (at == args.size()) return std::vector<std::string>{};
  const auto command = args.begin() + static_cast<std::ptrdiff_t>(at);
  std::vector<std::string> out{*command};
  out.insert(out.end(), args.begin(), command);
  out.insert(out.end(), command + 1, args.end());
  return out;
}

}  // namespace muster::cli
