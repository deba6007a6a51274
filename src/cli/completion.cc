#include "cli/completion.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/resource.h"
#include "base/strings.h"
#include "cli/command_table.h"

namespace muster::cli {

namespace {

// Of every command that asks a server; see cli.cc.
constexpr const char* kCommonFlags = "--namespace --kubeconfig --context --help";

/// Commands whose words are a kind and names.
constexpr std::string_view kTakesObjects[] = {"get",   "describe", "logs",     "delete", "wait",
                                              "patch", "label",    "annotate", "edit"};

/// The help has one line per flag, "  -o, --output VALUE  …": its "--" word is what a shell offers.
std::string flags_of(const Entry& entry) {
  Flags flags;
  const auto command = entry.make();
  command->add_flags(flags);
  std::vector<std::string> words;
  for (const std::string& line : split(flags.help(), '\n')) {
    const std::size_t at = line.find("--");
    if (at != std::string::npos) words.push_back(line.substr(at, line.find_first_of(" [", at) - at));
  }
  words.emplace_back(entry.server == Server::kNone ? "--help" : kCommonFlags);
  return join(words, " ");
}

std::string kinds() {
  std::vector<std::string> out;
  for (const api::Resource& resource : api::resources()) {
    // A name that two groups share is told apart by its group.
    const auto same = [&](const api::Resource& other) { return other.plural == resource.plural; };
    const bool shared = std::ranges::count_if(api::resources(), same) > 1;
    out.push_back(shared ? resource.qualified_name() : resource.plural);
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return join(out, " ");
}

std::vector<OtherCommand> all_commands(const std::vector<OtherCommand>& others) {
  std::vector<OtherCommand> out = others;
  for (const Entry& entry : command_table()) out.push_back({entry.name, entry.summary});
  std::ranges::sort(out, {}, &OtherCommand::name);
  return out;
}

std::string names_of(const std::vector<OtherCommand>& commands) {
  std::vector<std::string> out;
  for (const OtherCommand& command : commands) out.emplace_back(command.name);
  return join(out, " ");
}

std::string objects_pattern() {
  return join({std::begin(kTakesObjects), std::end(kTakesObjects)}, "|");
}

// {0}: a case per command with its flags, {1}: commands, {2}: those that take objects, {3}: kinds.
constexpr const char* kBashScript = R"sh(# muster completion bash
_muster_flags() {{
  case "$1" in
{0}    *) echo '--help' ;;
  esac
}}
_muster_names() {{
  muster get "$1" -o name 2>/dev/null </dev/null | sed 's|.*/||'
}}
_muster_contexts() {{
  muster use 2>/dev/null | awk '{{print $1 == "*" ? $2 : $1}}'
}}
_muster() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" command="${{COMP_WORDS[1]}}" kinds='{3}'
  local candidates=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -le 1 ]; then
    COMPREPLY=($(compgen -W '{1}' -- "$word"))
    return
  fi
  case "$command $word" in
    *' '-*) candidates="$(_muster_flags "$command")" ;;
    explain' '*) candidates="$kinds" ;;
    use' '*) candidates="$(_muster_contexts)" ;;
    completion' '*) candidates="bash zsh fish" ;;
    *)
      case "$command" in
        {2}) ;;
        *) return ;;
      esac
      case "$word" in
        */*)
          local kind="${{word%%/*}}"
          COMPREPLY=($(compgen -P "$kind/" -W "$(_muster_names "$kind")" -- "${{word#*/}}"))
          return ;;
      esac
      if [ "$COMP_CWORD" -gt 2 ]; then
        candidates="$(_muster_names "${{COMP_WORDS[2]}}")"
      elif [ "$command" = logs ]; then
        candidates="$kinds $(_muster_names pods)"
      else
        candidates="$kinds"
      fi ;;
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$word"))
}}
complete -o default -F _muster muster
)sh";

/// Names come as KIND/NAME from the server; a server that does not answer offers none.
std::string bash_script(const std::vector<OtherCommand>& commands) {
  std::string cases;
  for (const Entry& entry : command_table()) {
    cases += fmt::format("    {}) echo '{}' ;;\n", entry.name, flags_of(entry));
  }
  return fmt::format(kBashScript, cases, names_of(commands), objects_pattern(), kinds());
}

/// zsh runs the functions of bash through its own compatibility layer.
std::string zsh_script(const std::vector<OtherCommand>& commands) {
  return "#compdef muster\nautoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(commands);
}

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_script(const std::vector<OtherCommand>& commands) {
  std::string out =
      "# muster completion fish\n"
      "function __muster_names\n"
      "  set -l words (commandline -opc)\n"
      "  set -q words[3]; or return\n"
      "  muster get $words[3] -o name 2>/dev/null </dev/null | string replace -r '.*/' ''\n"
      "end\n";
  for (const OtherCommand& command : commands) {
    out += fmt::format("complete -c muster -f -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       fish_quoted(command.summary));
  }
  for (const Entry& entry : command_table()) {
    for (const std::string& flag : split(flags_of(entry), ' ')) {
      out += fmt::format("complete -c muster -n '__fish_seen_subcommand_from {}' -l {}\n", entry.name, flag.substr(2));
    }
  }
  const std::string objects = join({std::begin(kTakesObjects), std::end(kTakesObjects)}, " ");
  out += fmt::format(
      "complete -c muster -f -n '__fish_seen_subcommand_from {0}; and test (count (commandline -opc)) -eq 2' -a '{1}'\n"
      "complete -c muster -f -n '__fish_seen_subcommand_from {0}; and test (count (commandline -opc)) -gt 2' -a "
      "'(__muster_names)'\n",
      objects, kinds());
  return out;
}

}  // namespace

Result<std::string> completion_script(const std::string& shell, const std::vector<OtherCommand>& others) {
  const auto commands = all_commands(others);
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("completion: must be bash, zsh or fish, got {}", quote(shell))};
}

}  // namespace muster::cli
