#include "cli/run/programs.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/find_program.h"
#include "base/strings.h"
#include "python/torchrun.h"

namespace muster::cli {

namespace {

constexpr const char* kOwnPrograms = "/run/muster/bin";  // in every pod; `python` if the machine has only python3

/// The folders of the job's PATH before those that every pod has.
std::vector<std::string> program_folders(const RunPrograms& programs) {
  std::vector<std::string> out;
  if (!programs.python) return out;
  const python::Interpreter& python = programs.python->interpreter;
  out.push_back(std::filesystem::path(python.program).parent_path().string());
  if (!python.user_base.empty()) out.push_back(python.user_base + "/bin");
  std::erase_if(out, is_in_system_folder);
  return out;
}

std::string folder_of_program(const std::string& program) {
  return std::filesystem::path(program).parent_path().string();
}

/// A program that only the user's PATH has is shown to the job with its folder.
std::optional<Failure> find_program_of_command(const RunCommand& command, const RunFrom& from, RunPrograms& programs) {
  const std::string& program = command.words[0];
  if (!command.interpreter.empty()) programs.program_folder = folder_of_program(command.interpreter);
  if (program.find('/') != std::string::npos) return std::nullopt;
  const std::string folders = join(program_folders(programs), ":");
  if (!find_program(program, folders).empty() || !find_program(program, kUsualPath).empty()) return std::nullopt;
  const std::string found = find_program(program, from.path);
  if (found.empty()) {
    const std::string meant = file_meant_by(program, from);
    return usage_failure(fmt::format("{}: there is no such file in {} and no such program in PATH{}", program,
                                     from.working_dir, meant.empty() ? "" : fmt::format("; did you mean {}?", meant)),
                         meant.empty() ? "" : "muster run " + meant);
  }
  programs.program_folder = folder_of_program(found);
  return std::nullopt;
}

}  // namespace

std::variant<RunPrograms, Failure> find_run_programs(RunCommand& command, const std::string& python,
                                                     const std::string& image, const RunFrom& from) {
  RunPrograms out;
  if (!python.empty() && !command.python.empty()) {
    return usage_failure(fmt::format("--python {}: the command names another one, {}", python, command.python),
                         "name one of them");
  }
  if (!image.empty()) {
    out.text = fmt::format("that of image {}", quote(image));
    if (command.runs_python && !command.python.empty()) command.words[0] = command.python;
    return out;
  }
  python::Search search = python_search(from, command.start);
  search.named = python.empty() ? command.python : python;
  if (python.empty()) search.named_by = "as the command names it";
  auto found = python::choose_python(search);
  if (found) {
    out.python = *std::move(found);
    // Launchers and shell scripts find it in their PATH.
    out.text = python::describe(*out.python);
    if (command.runs_python) command.words[0] = out.python->interpreter.program;
  } else if (command.runs_python || !python.empty()) {
    // A shell script or torchrun may need a Python as well; it says so itself.
    return usage_failure(found.error().message);
  }
  if (auto problem = find_program_of_command(command, from, out)) return *std::move(problem);
  return out;
}

void add_programs(const RunPrograms& programs, const RunFrom& from, JobOfScript& to, JobFolders& folders) {
  std::vector<std::string> path = program_folders(programs);
  if (!programs.program_folder.empty()) path.push_back(programs.program_folder);
  std::vector<std::string> needed = path;
  if (programs.python) {
    const python::Interpreter& python = programs.python->interpreter;
    needed.insert(needed.end(), python.folders.begin(), python.folders.end());
    const bool is_conda = std::filesystem::exists(python.environment + "/conda-meta");
    if (!python.environment.empty()) to.set_variable(is_conda ? "CONDA_PREFIX" : "VIRTUAL_ENV", python.environment);
    if (!python.user_base.empty()) to.set_variable("PYTHONUSERBASE", python.user_base);
  }
  const auto paths = from.variables.find("PYTHONPATH");
  if (paths != from.variables.end()) {
    for (const std::string& folder : split(paths->second, ':')) {
      if (folder.empty()) continue;
      std::string whole = (from.working_dir / std::filesystem::path(folder)).lexically_normal().string();
      while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
      needed.push_back(std::move(whole));
    }
  }
  if (!path.empty()) {
    to.set_variable("PATH",
                    fmt::format("{}:{}:{}:{}", join(path, ":"), python::kLauncherFolder, kUsualPath, kOwnPrograms));
  }
  std::ranges::sort(needed);
  for (const std::string& folder : needed) {
    if (!is_in_system_folder(folder) && std::filesystem::is_directory(folder)) folders.add_read_only(folder);
  }
}

}  // namespace muster::cli
