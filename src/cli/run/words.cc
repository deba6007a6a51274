#include "cli/run/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "api/host_folders.h"
#include "base/find_program.h"
#include "base/strings.h"
#include "cli/run/program_file.h"

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
  const std::string other = file_meant_by(word, from);
  if (other.empty()) {
    return {.code = kExitUsage,
            .what = fmt::format("{}: no such file in {}", word, from.working_dir),
            .fix = "run it from the folder of the script"};
  }
  return {.code = kExitUsage,
          .what = fmt::format("{}: no such file in {}; did you mean {}?", word, from.working_dir, quote(other)),
          .fix = "muster run " + other};
}

bool is_missing(const std::string& file, const RunFrom& from) {
  std::error_code error;
  return !fs::exists(from.working_dir / fs::path(file), error);
}

/// Takes the shell that the first line names: a script for bash fails under sh in strange ways.
std::string shell_of(const ProgramFile& script) {
  const std::string shell = fs::path(script.interpreter).filename().string();
  for (const char* known : {"bash", "zsh", "dash"}) {
    if (shell == known) return known;
  }
  return "sh";
}

/// The first word after a launcher that ends in .py is the script; the words after it are the script's. "" if that is
/// there, and where a module is started or the folder is changed.
std::string missing_script_of(const RunCommand& command, const std::vector<std::string>& words, const RunFrom& from) {
  if (command.launcher.empty()) return "";
  for (const std::string& word : words) {
    for (const char* other : {"-m", "--module", "-wdir", "--wdir", "-wd", "--wd"}) {
      if (word == other || word.starts_with(std::string(other) + "=")) return "";
    }
    if (!word.starts_with('-') && word.ends_with(".py")) return is_missing(word, from) ? word : "";
  }
  return "";
}

/// How the job names a file: as a user would from the current folder, or by its whole path outside of the project.
std::string name_in_job(const fs::path& whole, const Words& words) {
  if (!api::lies_in(whole.string(), words.project)) return whole.string();
  return whole.lexically_relative(words.from.working_dir).string();
}

/// The Python of the environment that a program belongs to, as pip writes torchrun: the program does not start without.
std::string python_of_program(const fs::path& whole, const ProgramFile& program) {
  if (!is_python_name(program.interpreter)) return "";
  if (!is_in_system_folder(program.interpreter)) return program.interpreter;
  std::error_code error;
  const fs::path own = whole.parent_path() / "python";
  return fs::exists(whole.parent_path().parent_path() / "pyvenv.cfg", error) ? own.string() : "";
}

/// The script or module among the words after a Python; "" for `-c`, and where Python reads what is typed.
struct PythonWords {
  std::string script = {};
  std::string module = {};
  std::vector<std::string> of_module = {};  // the words after it
};
PythonWords words_of_python(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-m" && i + 1 < words.size()) {
      return {.module = words[i + 1], .of_module = {words.begin() + static_cast<std::ptrdiff_t>(i) + 2, words.end()}};
    }
    if (word == "-c" || word == "-") return {};
    if (word == "-W" || word == "-X") {
      ++i;  // with a value of its own
    } else if (!word.starts_with('-')) {
      return {.script = word};
    }
  }
  return {};
}

/// `python train.py`: as `train.py`, with the words as they are typed. `interpreter` is "" where one is chosen.
std::variant<RunCommand, Failure> read_python(const Words& words, std::string interpreter) {
  RunCommand out{.words = {"python"},
                 .prefix = name_from("python"),
                 .start = words.from.working_dir,
                 .runs_python = true,
                 .python = std::move(interpreter)};
  const PythonWords meant = words_of_python(words.after(1));
  out.launcher = launcher_of_module(meant.module);
  if (const std::string script = missing_script_of(out, meant.of_module, words.from); !script.empty()) {
    return missing_script(script, words.from);
  }
  if (meant.script.ends_with(".py") && is_missing(meant.script, words.from)) {
    return missing_script(meant.script, words.from);
  }
  if (!meant.script.empty()) {
    const fs::path whole = (words.from.working_dir / fs::path(meant.script)).lexically_normal();
    out.prefix = name_from(whole.stem().string());
    if (!is_in_system_folder(whole.string())) out.start = whole.parent_path().string();
  } else if (!meant.module.empty()) {
    out.prefix = name_from(meant.module.substr(meant.module.rfind('.') + 1));
  }
  return add_words(std::move(out), words.after(1));
}

std::variant<RunCommand, Failure> read_program(const Words& words) {
  const std::string& program = words.all[0];
  RunCommand out{.words = words.all,
                 .prefix = name_from(fs::path(program).stem().string()),
                 .start = words.from.working_dir,
                 .launcher = launcher_of(program)};
  if (const std::string script = missing_script_of(out, words.after(1), words.from); !script.empty()) {
    return missing_script(script, words.from);
  }
  return out;
}

/// A file that the system starts, as it is or by the program that its first line names.
std::variant<RunCommand, Failure> read_executable(const Words& words, const fs::path& whole, const ProgramFile& file) {
  const std::string name = name_in_job(whole, words);
  auto read = read_program(words);
  if (std::holds_alternative<Failure>(read)) return read;
  auto& out = std::get<0>(read);
  out.python = python_of_program(whole, file);
  if (out.python.empty() && !is_in_system_folder(file.interpreter)) out.interpreter = file.interpreter;
  out.words[0] = name.find('/') == std::string::npos ? "./" + name : name;
  // Every job sees the system's programs. Their folder says nothing about the Python that is wanted.
  if (is_in_system_folder(whole.string())) return read;
  if (out.launcher.empty()) out.start = whole.parent_path().string();
  out.script = whole.string();
  return read;
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
    return add_words(std::move(out), words.after(1));
  }
  const bool starts = is_executable(whole.string());
  const bool is_shell_script = whole.extension() == ".sh";
  const std::string hint = "muster run SCRIPT.py " + typed + ", if it is what a script reads";
  if (!starts && !is_shell_script) {
    return usage_failure(
        fmt::format("{} is not a program: it is not executable, and its name does not end in .py or .sh", typed),
        hint + "; else: chmod +x " + typed);
  }
  if (starts && is_python_name(name)) return read_python(words, whole.string());
  const auto read = read_program_file(whole.string(), typed, words.from);
  if (const auto* failure = std::get_if<Failure>(&read)) return *failure;
  const auto& file = std::get<0>(read);
  if (starts && file.form != ProgramForm::kNeither) return read_executable(words, whole, file);
  if (!is_shell_script) {
    return usage_failure(
        fmt::format("{} is not a program: it is executable, but neither a binary nor a script that begins with #!",
                    typed),
        hint);
  }
  out.words = {shell_of(file), name};
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

std::variant<RunCommand, Failure> read_module(const Words& words, const std::string& module) {
  RunCommand out{.words = {"python", "-m", module},
                 .prefix = name_from(module.substr(module.rfind('.') + 1)),
                 .start = words.from.working_dir,
                 .runs_python = true,
                 .launcher = launcher_of_module(module)};
  if (const std::string script = missing_script_of(out, words.all, words.from); !script.empty()) {
    return missing_script(script, words.from);
  }
  return add_words(std::move(out), words.all);
}

}  // namespace

std::string file_meant_by(const std::string& word, const RunFrom& from) {
  const fs::path whole = (from.working_dir / fs::path(word)).lexically_normal();
  const std::string name = whole.filename().string();
  std::vector<std::string> others;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(whole.parent_path(), error)) {
    if (entry.is_regular_file(error)) others.push_back(entry.path().filename().string());
  }
  std::string meant = did_you_mean(name, others).value_or("");
  for (const char* ending : {".sh", ".py"}) {
    if (std::ranges::find(others, name + ending) != others.end()) meant = name + ending;
  }
  return meant.empty() ? "" : (fs::path(word).parent_path() / meant).string();
}

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
  if (!script.has_parent_path() && is_python_name(all[0])) {
    return read_python(words, all[0] == "python" || all[0] == "python3" ? "" : all[0]);
  }
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
