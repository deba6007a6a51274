#include "jobs/arguments.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/strings.h"
#include "jobs/kind.h"

namespace muster::jobs {

namespace {

using json::Document;

constexpr std::array<std::string_view, 7> kShells = {"sh", "bash", "dash", "zsh", "ash", "ksh", "fish"};
constexpr std::array<std::string_view, 8> kLaunchers = {"torchrun", "accelerate", "deepspeed", "mpirun",
                                                        "mpiexec",  "horovodrun", "env",       "muster-mpirun"};
constexpr std::array<std::string_view, 4> kLaunchModules = {"torch.distributed.run", "torch.distributed.launch",
                                                            "accelerate.commands.launch", "deepspeed.launcher.runner"};

std::string_view program_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_among(std::string_view word, std::span<const std::string_view> all) {
  return std::ranges::find(all, word) != all.end();
}

bool is_script(std::string_view word) {
  return word.ends_with(".py") || word.ends_with(".sh");
}

std::vector<std::string> texts_in(const Document& container, const char* member) {
  std::vector<std::string> out;
  for (const Document& word : container.array_at(member)) out.push_back(word.is_string() ? word.as_string() : "");
  return out;
}

json::Array texts(std::span<const std::string> words) {
  return {words.begin(), words.end()};
}

/// Returns true when the container runs a script, which then has the new arguments.
bool replace_in(Document& container, const std::vector<std::string>& arguments) {
  const std::vector<std::string> command = texts_in(container, "command");
  const std::vector<std::string> args = texts_in(container, "args");
  std::vector<std::string> whole = command;
  whole.insert(whole.end(), args.begin(), args.end());
  const auto begin = begin_of_arguments(whole);
  if (!begin) return false;
  // What is written under command stays there, so that the job reads as its author wrote it.
  const std::size_t kept_of_command = std::min(*begin, command.size());
  std::vector<std::string> new_command(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(kept_of_command));
  std::vector<std::string> new_args(whole.begin() + static_cast<std::ptrdiff_t>(kept_of_command),
                                    whole.begin() + static_cast<std::ptrdiff_t>(*begin));
  std::vector<std::string>& to = args.empty() && !command.empty() ? new_command : new_args;
  to.insert(to.end(), arguments.begin(), arguments.end());
  if (!command.empty()) container["command"] = texts(new_command);
  if (!args.empty() || !new_args.empty()) container["args"] = texts(new_args);
  return true;
}

/// The container of the training has one of these names, or is the first.
Document* training_container(Document& template_, const std::vector<std::string>& names) {
  Document* spec = template_.find("spec");
  Document* containers = spec == nullptr ? nullptr : spec->find("containers");
  if (containers == nullptr || !containers->is_array() || containers->as_array().empty()) return nullptr;
  for (const std::string& name : names) {
    for (Document& container : containers->as_array()) {
      if (container.string_at("name") == name) return &container;
    }
  }
  return &containers->as_array().front();
}

/// An MPIJob of TensorStack names its program here; mpirun comes in front of it.
bool replace_script(Document& script, const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  for (const Document& word : script.as_array()) words.push_back(word.is_string() ? word.as_string() : "");
  const auto begin = begin_of_arguments(words);
  if (!begin) return false;
  words.resize(*begin);
  words.insert(words.end(), arguments.begin(), arguments.end());
  script = texts(words);
  return true;
}

/// Every kind keeps the pods of its roles under `template`.
int replace_below(Document& part, const std::vector<std::string>& names, const std::vector<std::string>& arguments) {
  int replaced = 0;
  if (part.is_array()) {
    for (Document& item : part.as_array()) replaced += replace_below(item, names, arguments);
  }
  if (!part.is_object()) return replaced;
  for (json::Member& member : part.as_object()) {
    if (member.key == "script" && member.value.is_array()) {
      replaced += replace_script(member.value, arguments) ? 1 : 0;
    } else if (member.key != "template" || !member.value.is_object()) {
      replaced += replace_below(member.value, names, arguments);
    } else if (Document* container = training_container(member.value, names)) {
      replaced += replace_in(*container, arguments) ? 1 : 0;
    }
  }
  return replaced;
}

}  // namespace

std::optional<std::size_t> begin_of_arguments(std::span<const std::string> command) {
  if (command.empty()) return std::nullopt;
  const std::string_view program = program_name(command[0]);
  const bool is_shell = is_among(program, kShells);
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (is_script(command[i])) return i + 1;
    if (i == 0) continue;
    if (is_shell && command[i].starts_with('-') && command[i].ends_with('c')) return std::nullopt;  // -c, -lc
    if (command[i] == "-c") return std::nullopt;                                                    // Python's program
    if (command[i] == "-m" && i + 1 < command.size() && !is_among(command[i + 1], kLaunchModules)) return i + 2;
  }
  const bool needs_script = is_shell || program.starts_with("python") || is_among(program, kLaunchers);
  return needs_script ? std::nullopt : std::optional<std::size_t>(1);
}

Status replace_arguments(Document& job, const std::vector<std::string>& arguments) {
  const JobKind* kind = kind_of_job(job);
  std::vector<std::string> names;
  if (const auto normal = kind->normalise(job, Where::kEngine)) names = normal->training_containers;
  Document* spec = job.find("spec");
  const int replaced = spec == nullptr ? 0 : replace_below(*spec, names, arguments);
  if (replaced > 0) return ok();
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("{}: its command runs no script whose arguments could be replaced; copy the job "
                                      "with muster get -o yaml and change its command",
                                      job.string_at("metadata", "name"))};
}

}  // namespace muster::jobs
