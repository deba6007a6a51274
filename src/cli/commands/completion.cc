#include "cli/commands/completion.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "api/resource.h"
#include "base/strings.h"
#include "cli/commands/command_line.h"

namespace muster::cli {

namespace {

/// Commands whose arguments are a kind and names.
constexpr std::string_view kTakesObjects[] = {"get",   "describe", "logs",     "delete", "wait",
                                              "patch", "label",    "annotate", "edit"};

/// Commands whose arguments are names of jobs.
constexpr std::string_view kTakesJobs[] = {"pause", "resume", "stop", "rerun", "scale", "compare", "tensorboard"};
/// Of these, commands that take one.
constexpr std::string_view kTakesOneJob[] = {"rerun", "scale", "tensorboard"};
/// Commands that take the name of a job where others take a kind.
constexpr std::string_view kTakesJobOrKind[] = {"describe", "logs", "delete", "wait"};

bool is_among(std::string_view command, std::span<const std::string_view> commands) {
  return std::ranges::find(commands, command) != commands.end();
}

std::vector<Candidate> kind_candidates() {
  std::vector<std::string> names;
  for (const api::Resource& resource : api::resources()) {
    // When two groups share a name, the group is appended to distinguish them.
    const auto same = [&](const api::Resource& other) { return other.plural == resource.plural; };
    const bool shared = std::ranges::count_if(api::resources(), same) > 1;
    names.push_back(shared ? resource.qualified_name() : resource.plural);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<Candidate> out;
  for (std::string& name : names) out.push_back({std::move(name)});
  return out;
}

/// bash splits `--flag=value` into three words; this joins them again. Returns true when the word being typed was one
/// of the three, because the shell then expects the value alone.
bool join_assignments(std::vector<std::string>& words) {
  bool last_was_split = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] != "=" || !words[i - 1].starts_with("--")) continue;
    const bool has_value = i + 1 < words.size();
    last_was_split = i + 2 >= words.size();
    words[i - 1] += "=" + (has_value ? words[i + 1] : "");
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                words.begin() + static_cast<std::ptrdiff_t>(i) + (has_value ? 2 : 1));
  }
  return last_was_split;
}

/// The words before the one being typed, sorted into flags, their values and other words.
struct Line {
  std::vector<std::string> words;
  std::optional<Flags::Listed> awaits_value;  // the word being typed is this flag's value
  ConnectOptions connect;
};

void take_value(Line& line, const std::string& flag, const std::string& value) {
  if (flag == "namespace") line.connect.ns = value;
  if (flag == "kubeconfig") line.connect.kubeconfig = value;
  if (flag == "context") line.connect.context = value;
}

Line read_line(const std::vector<std::string>& before, const std::vector<Flags::Listed>& flags) {
  Line out;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::string& word = before[i];
    if (word.size() < 2 || word[0] != '-') {
      out.words.push_back(word);
      continue;
    }
    const auto [flag, value] = flag_word(word, flags);
    if (flag == nullptr) continue;
    if (value) {
      take_value(out, flag->name, *value);
    } else if (flag->takes_word) {
      if (i + 1 == before.size()) out.awaits_value = *flag;
      if (i + 1 < before.size()) take_value(out, flag->name, before[i + 1]);
      ++i;
    }
  }
  return out;
}

void offer_value(const Flags::Listed& flag, Completing& out) {
  if (flag.name == "namespace") out.ask = Completing::Ask::kNamespaces;
  if (flag.name == "context") out.ask = Completing::Ask::kContexts;
  for (const std::string& choice : flag.choices) out.known.push_back({choice});
}

void offer_flags(const Completable& command, Completing& out) {
  for (const Flags::Listed& flag : command.flags) out.known.push_back({"--" + flag.name, flag.help});
  out.known.push_back({"--help", "what the command does, and its flags"});
}

void offer_objects(std::string_view command, const std::vector<std::string>& words, Completing& out) {
  if (const std::size_t slash = out.typed.find('/'); slash != std::string::npos) {
    out.ask = Completing::Ask::kNames;
    out.kind = out.typed.substr(0, slash);
    out.prefix = out.typed.substr(0, slash + 1);
    out.typed = out.typed.substr(slash + 1);
    return;
  }
  if (words.empty() || words[0].find('/') != std::string::npos) {
    out.known = kind_candidates();
    if (!is_among(command, kTakesJobOrKind)) return;
    out.ask = Completing::Ask::kNames;
    out.kind = command == "logs" ? "pods,jobs" : "jobs";
    return;
  }
  out.ask = Completing::Ask::kNames;
  // Words are names of jobs unless the first is a kind.
  const bool has_kind = words[0] == "jobs" || words[0] == "job" || words[0].find(',') != std::string::npos ||
                        !is_among(command, kTakesJobOrKind) || api::find_typed(words[0]) != nullptr;
  out.kind = has_kind ? words[0] : "jobs";
  out.already.assign(words.begin() + (has_kind ? 1 : 0), words.end());
}

void offer_jobs(std::string_view command, const std::vector<std::string>& words, Completing& out) {
  if (!words.empty() && is_among(command, kTakesOneJob)) return;
  out.ask = Completing::Ask::kNames;
  out.kind = "jobs";
  out.already = words;
}

void offer_volumes(const std::vector<std::string>& words, Completing& out) {
  if (words.empty()) {
    out.known = {{"create", "a new volume"}, {"ls", "volumes or files"}, {"cp", "copy files"}, {"rm", "remove"}};
  } else if (words[0] != "create") {
    out.ask = Completing::Ask::kNames;
    out.kind = "persistentvolumeclaims";
  }
}

/// One side of a copy is a folder of this machine, the other one of a pod: POD:PATH or JOB:PATH.
void offer_sides_of_copy(const std::vector<std::string>& words, Completing& out) {
  // bash makes a word of its own of a colon.
  const bool has_pod = std::ranges::any_of(words, [](const auto& word) { return word.find(':') != std::string::npos; });
  if (has_pod || words.size() > 1) return;
  if (out.typed.empty() && words.empty()) out.known = {{"./", "a file of this machine"}};
  out.ask = Completing::Ask::kNames;
  out.kind = "pods,jobs";
  out.suffix = ":";
}

void offer_words(const Completable& command, const std::vector<std::string>& words,
                 const std::vector<Completable>& commands, Completing& out) {
  if (std::ranges::find(kTakesObjects, command.name) != std::end(kTakesObjects)) {
    offer_objects(command.name, words, out);
    return;
  }
  if (is_among(command.name, kTakesJobs)) return offer_jobs(command.name, words, out);
  if (command.name == "volume") offer_volumes(words, out);
  if (command.name == "cp") return offer_sides_of_copy(words, out);
  if (!words.empty()) return;
  if (command.name == "exec" || command.name == "attach" || command.name == "port-forward") {
    out.ask = Completing::Ask::kNames;
    out.kind = "pods,jobs";
  }
  if (command.name == "top") {
    out.known = {{"pods", "what pods use"}, {"nodes", "what nodes use"}};
    out.ask = Completing::Ask::kNames;
    out.kind = "jobs";
  }
  if (command.name == "notebook") {
    out.ask = Completing::Ask::kNames;
    out.kind = "notebooks";
  }
  if (command.name == "explain") out.known = kind_candidates();
  if (command.name == "create") out.known = {{"namespace", "a new namespace"}};
  if (command.name == "completion") out.known = {{"bash"}, {"zsh"}, {"fish"}};
  if (command.name == "use") {
    out.known = {{kLocal, "the engine of this machine"}};
    out.ask = Completing::Ask::kContexts;
  }
  if (command.name == "help") {
    for (const Completable& one : commands) out.known.push_back({std::string(one.name), std::string(one.summary)});
  }
}

// PROGRAM stands for the name of the program.
constexpr const char* kBashScript = R"sh(# PROGRAM completion bash
_PROGRAM() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("${line%%$'\t'*}")
  done < <(PROGRAM __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
  if [ "${#COMPREPLY[@]}" -eq 1 ]; then
    case "${COMPREPLY[0]}" in *= | *: | */) compopt -o nospace 2>/dev/null ;; esac
  fi
}
complete -o default -F _PROGRAM PROGRAM
)sh";

constexpr const char* kZshScript = R"sh(#compdef PROGRAM
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
_PROGRAM() {
  local line
  local -a names shown
  while IFS= read -r line; do
    names+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  -- }")
  done < <(PROGRAM __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)
  if (( ! $#names )); then
    _files
  elif [[ $#names -eq 1 && $names[1] == *[=:/] ]]; then
    compadd -S '' -- "${names[@]}"
  else
    compadd -l -d shown -- "${names[@]}"
  fi
}
compdef _PROGRAM PROGRAM
)sh";

constexpr const char* kFishScript = R"sh(# PROGRAM completion fish
function __PROGRAM_candidates
  set -l words (commandline -opc) (commandline -ct)
  set -l found (PROGRAM __complete -- $words[2..-1] 2>/dev/null </dev/null)
  if test (count $found) -gt 0
    printf '%s\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c PROGRAM -f -a '(__PROGRAM_candidates)'
)sh";

std::vector<std::string> split_at(std::string_view text, std::string_view word) {
  std::vector<std::string> out;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word)) {
    out.emplace_back(text.substr(0, at));
    text.remove_prefix(at + word.size());
  }
  out.emplace_back(text);
  return out;
}

}  // namespace

Result<std::string> completion_script(const std::string& shell, const std::string& program) {
  for (const auto& [name, script] : {std::pair("bash", kBashScript), {"zsh", kZshScript}, {"fish", kFishScript}}) {
    if (shell == name) return join(split_at(script, "PROGRAM"), program);
  }
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("completion: must be bash, zsh or fish, got {}", quote(shell))};
}

std::vector<Completable> completable_commands(CommandTable table) {
  std::vector<Completable> out{{"help", "what a command does", {}}};
  for (const Section& section : table) {
    for (const Entry& entry : section.commands) {
      Flags flags;
      ConnectOptions unused;
      const auto command = entry.make();
      command->add_flags(flags);
      if (entry.server != Server::kNone) unused.add_flags(flags);
      out.push_back({entry.name, entry.summary, flags.list()});
    }
  }
  std::ranges::sort(out, {}, &Completable::name);
  return out;
}

Completing completing(std::vector<std::string> words, const std::vector<Completable>& commands) {
  Completing out;
  if (words.empty()) words.emplace_back();
  const bool value_alone = join_assignments(words);
  out.typed = words.back();
  words.pop_back();

  Flags common;
  out.connect.add_flags(common);
  const auto first = command_first(words);
  if (!first || first->empty()) {
    const Line line = read_line(words, common.list());
    if (line.awaits_value) {
      offer_value(*line.awaits_value, out);
    } else if (out.typed.starts_with('-')) {
      offer_flags({.name = "", .summary = "", .flags = common.list()}, out);
    } else {
      for (const Completable& one : commands) out.known.push_back({std::string(one.name), std::string(one.summary)});
    }
    out.connect = line.connect;
    return out;
  }
  const auto command = std::ranges::find(commands, first->front(), &Completable::name);
  if (command == commands.end()) return out;
  const Line line = read_line({first->begin() + 1, first->end()}, command->flags);
  out.connect = line.connect;
  const std::size_t equals = out.typed.find('=');
  const bool assigns = out.typed.starts_with("--") && equals != std::string::npos;
  if (line.awaits_value) {
    offer_value(*line.awaits_value, out);
  } else if (assigns) {
    const Flags::Listed* flag = flag_word(out.typed, command->flags).flag;
    if (!value_alone) out.prefix = out.typed.substr(0, equals + 1);
    out.typed = out.typed.substr(equals + 1);
    if (flag != nullptr) offer_value(*flag, out);
  } else if (out.typed.starts_with('-')) {
    offer_flags(*command, out);
  } else {
    offer_words(*command, line.words, commands, out);
  }
  return out;
}

std::string candidate_lines(const Completing& completing, const std::vector<Candidate>& candidates) {
  std::string out;
  for (const Candidate& candidate : candidates) {
    if (!candidate.text.starts_with(completing.typed)) continue;
    if (std::ranges::find(completing.already, candidate.text) != completing.already.end()) continue;
    out += completing.prefix + candidate.text;
    if (!candidate.description.empty()) out += "\t" + candidate.description;
    out += '\n';
  }
  return out;
}

}  // namespace muster::cli
