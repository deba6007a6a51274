#include "cli/sweep/parameter_words.h"

#include <fmt/core.h>

#include "base/strings.h"

namespace muster::cli {

namespace {

Error bad(std::string message) {
  return Error{.reason = Reason::kBadRequest, .message = std::move(message)};
}

Status check_is_no_flag(const std::string& name, const std::vector<Flags::Listed>& known) {
  std::vector<std::string> names;
  for (const Flags::Listed& flag : known) names.push_back(flag.name);
  const auto meant = did_you_mean(name, names);
  if (!meant) return ok();
  return bad(fmt::format("unknown flag --{0}; did you mean --{1}? a parameter of this name is --param {0}=VALUES", name,
                         *meant));
}

}  // namespace

Result<std::vector<std::string>> with_parameter_flags(const std::vector<std::string>& args,
                                                      const std::vector<Flags::Listed>& known) {
  std::vector<std::string> out;
  std::size_t at = 0;
  for (; at < args.size(); ++at) {
    const std::string& arg = args[at];
    if (arg == "--" || arg.size() < 2 || arg[0] != '-') break;  // the script
    const FlagWord word = flag_word(arg, known);
    if (word.flag != nullptr || !arg.starts_with("--")) {
      out.push_back(arg);
      if (word.takes_next_word() && at + 1 < args.size()) out.push_back(args[++at]);
      if (word.flag != nullptr && word.flag->ends) {
        ++at;
        break;
      }
      continue;
    }
    const std::size_t equals = arg.find('=');
    const std::string name = arg.substr(2, equals - 2);
    TRY(check_is_no_flag(name, known));
    std::string values;
    if (equals != std::string::npos) {
      values = arg.substr(equals + 1);
    } else if (at + 1 < args.size() && args[at + 1] != "--") {
      values = args[++at];
    } else {
      return bad(fmt::format("parameter --{} needs values, such as 0.1,0.01 or 1..3", name));
    }
    out.emplace_back("--param");
    out.push_back(name + "=" + values);
  }
  out.insert(out.end(), args.begin() + static_cast<std::ptrdiff_t>(at), args.end());
  return out;
}

}  // namespace muster::cli
