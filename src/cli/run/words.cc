#include "cli/run/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "api/host_folders.h"
#include "base/files.h"
#include "base/find_program.h"
#include "base/strings.h"

namespace muster::cli {

namespace {

namespace fs = std::filesystem;

struct Words {
  const std::vector<std::string>& all;
  const RunFrom& from;
  const std::string& project;

  std::vector<std::string> after(std::size_t count) const {
    return {all.begin() + static_cast<std::ptrdiff_t>(count), all.end()};
  }
};

/// Returns the program's name if it starts the ranks itself, each on the GPUs of the whole job; else "".
std::string launcher_of(const std::string& program) {
  static constexpr std::array kLaunchers = {"torchrun",   "accelerate", "deepspeed", "mpirun",    "mpiexec",
                                            "horovodrun", "composer",   "fabric",    "colossalai"};
  std::string name = fs::path(program).filename().string();
  return std::ranges::find(kLaunchers, name) != kLaunchers.end() ? name : "";
}

std::string launcher_of_module(const std::string& module) {
  static constexpr std::array kLaunchers = {"torch.distributed.run", "torch.distributed.launch",
                                            "accelerate.commands.launch"};
  return std::ranges::find(kLaunchers, module) != kLaunchers.end() ? module : "";
}

RunCommand add_words(RunCommand command, const std::vector<std::string>& words) {
  command.words.insert(command.words.end(), words.begin(), words.end());
  return command;
}

Failure missing_script(const std::string& word, const RunFrom& from) {
  const fs::path whole = (from.working_dir / fs::path(word)).lexically_normal();
  const std::string folder = whole.parent_path().string();
  std::vector<std::string> others;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) others.push_back(entry.path().filename().string());
  }
  const auto meant = did_you_mean(whole.filename().string(), others);
  if (!meant) {
    return {.code = kExitUsage,
            .what = fmt::format("{}: no such file in {}", word, from.working_dir),
            .fix = "run it from the folder of the script"};
  }
  const std::string other = (fs::path(word).parent_path() / *meant).string();
  return {.code = kExitUsage,
          .what = fmt::format("{}: no such file in {}; did you mean {}?", word, from.working_dir, quote(other)),
          .fix = "muster run " + other};
}

/// Takes the shell that the first line names: a script for bash fails under sh in strange ways.
std::string shell_of(const std::string& script) {
  const std::string text = read_file(script).value_or("");
  const std::string first = text.substr(0, text.find('\n'));
  for (const char* shell : {"bash", "zsh", "dash"}) {
    if (first.starts_with("#!") && first.find(shell) != std::string::npos) return shell;
  }
  return "sh";
}

/// How the job names a file: as a user would from the current folder, or by its whole path outside of the project.
std::string name_in_job(const fs::path& whole, const Words& words) {
  if (!api::lies_in(whole.string(), words.project)) return whole.string();
  return whole.lexically_relative(words.from.working_dir).string();
}

std::variant<RunCommand, Failure> read_script(const Words& words, const fs::path& whole) {
  const std::string& typed = words.all[0];
  const std::string name = name_in_job(whole, words);
  RunCommand out{.words = {},
                 .prefix = name_from(whole.stem().string()),
                 .start = whole.parent_path().string(),
                 .script = whole.string()};
  if (whole.extension() == ".py") {
    out.runs_python = true;
    out.words = {"python", name};
  } else if (is_executable(whole.string())) {
    out.launcher = launcher_of(name);
    out.words = {name.find('/') == std::string::npos ? "./" + name : name};
  } else if (whole.extension() == ".sh") {
    out.words = {shell_of(whole.string()), name};
  } else {
    return usage_failure(
        fmt::format("{} is not a program: it is not executable, and its name does not end in .py or .sh", typed),
        "muster run SCRIPT.py " + typed + ", if it is what a script reads; else: chmod +x " + typed);
  }
  return add_words(std::move(out), words.after(1));
}

/// Python runs a folder that has a `__main__.py`.
std::variant<RunCommand, Failure> read_folder(const Words& words, const fs::path& whole) {
  const std::string& typed = words.all[0];
  std::error_code error;
  if (fs::is_regular_file(whole / "__main__.py", error)) {
    RunCommand out{.words = {"python", name_in_job(whole, words)},
                   .prefix = name_from(whole.filename().string()),
                   .start = whole.string(),
                   .script = (whole / "__main__.py").string(),
                   .runs_python = true};
    return add_words(std::move(out), words.after(1));
  }
  std::string example = "muster run train.py";
  for (const char* usual : {"train.py", "main.py", "run.py"}) {
    if (fs::is_regular_file(whole / usual, error)) {
      example = "muster run " + (fs::path(typed) / usual).lexically_normal().string();
      break;
    }
  }
  return usage_failure(typed + " is a folder without a __main__.py; name the script in it", example);
}

RunCommand read_module(const Words& words, const std::string& module) {
  RunCommand out{.words = {"python", "-m", module},
                 .prefix = name_from(module.substr(module.rfind('.') + 1)),
                 .start = words.from.working_dir,
                 .runs_python = true,
                 .launcher = launcher_of_module(module)};
  return add_words(std::move(out), words.all);
}

std::variant<RunCommand, Failure> read_program(const Words& words) {
  const std::string& program = words.all[0];
  const bool is_python = program == "python" || program == "python3";
  const bool has_argument = words.all.size() > 1;
  RunCommand out{.words = words.all,
                 .prefix = name_from(fs::path(program).stem().string()),
                 .start = words.from.working_dir,
                 .runs_python = is_python,
                 .launcher = launcher_of(program)};
  if (!is_python || !has_argument) return out;
  if (words.all[1] == "-m" && words.all.size() > 2) out.launcher = launcher_of_module(words.all[2]);
  std::error_code error;
  if (words.all[1].ends_with(".py") && !fs::exists(words.from.working_dir / fs::path(words.all[1]), error)) {
    return missing_script(words.all[1], words.from);
  }
  return out;
}

}  // namespace

std::string name_from(const std::string& file) {
  std::string out;
  for (const char c : to_lower(fs::path(file).stem().string())) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (fits) out += c;
    if (!fits && !out.empty() && out.back() != '-') out += '-';
  }
  out = out.substr(0, 40);
  while (out.ends_with('-')) out.pop_back();
  // A job's name becomes part of its services' names, which begin with a letter.
  if (out.empty() || out[0] < 'a') out = "job-" + out;
  while (out.ends_with('-')) out.pop_back();
  return out;
}

std::variant<RunCommand, Failure> read_run_words(const std::vector<std::string>& all, const std::string& module,
                                                 const RunFrom& from, const std::string& project) {
  const Words words{all, from, project};
  if (!module.empty()) return read_module(words, module);
  const fs::path script = all[0];
  fs::path whole = (from.working_dir / script).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();  // it was typed with a slash
  std::error_code error;
  if (fs::is_regular_file(whole, error)) return read_script(words, whole);
  if (fs::is_directory(whole, error)) return read_folder(words, whole);
  const bool looks_like_a_file = script.has_parent_path() || script.extension() == ".py" || script.extension() == ".sh";
  if (looks_like_a_file) return missing_script(all[0], from);
  return read_program(words);
}

}  // namespace muster::cli
