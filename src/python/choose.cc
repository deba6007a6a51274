#include "python/choose.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/find_program.h"
#include "base/run_program.h"
#include "base/strings.h"

namespace muster::python {
namespace {

namespace fs = std::filesystem;

constexpr Duration kShimLimit = std::chrono::seconds(10);
constexpr std::string_view kNameIt = "name an interpreter or the folder of an environment";

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error)) && !fs::is_directory(path, error);
}

/// Returns the interpreter in an environment's folder.
std::string program_in(const std::string& folder) {
  const std::string python = folder + "/bin/python";
  const std::string python3 = folder + "/bin/python3";
  return is_file(python) || !is_file(python3) ? python : python3;
}

Result<Choice> chosen(const std::string& program, const Search& search, std::string why, std::string_view fix) {
  auto interpreter = read_interpreter(program, search.home);
  if (!interpreter) {
    Error error = interpreter.error();
    error.message = fmt::format("{} ({}); {}", error.message, why, fix);
    return error;
  }
  return Choice{*std::move(interpreter), std::move(why)};
}

/// Returns the nearest `.venv`, from the folder up to the user's home or the root of the file system, without these.
std::string environment_above(const Search& search) {
  for (fs::path folder = search.start; folder.has_relative_path() && folder != search.home;
       folder = folder.parent_path()) {
    if (is_file((folder / ".venv/pyvenv.cfg").string())) return (folder / ".venv").string();
  }
  return "";
}

/// Returns the interpreter that a shim finds from here; "" when it finds none.
std::string behind_shim(const std::string& shim) {
  const auto end = run_program(
      {.words = {shim, "-c", "import sys; print(sys.executable)"}, .env = {}, .quiet = true, .limit = kShimLimit});
  return end && end->succeeded() ? std::string(trim(end->output)) : "";
}

Result<Choice> named(const Search& search) {
  std::error_code error;
  std::string program = search.named;
  if (program.find('/') == std::string::npos) {
    const std::string found = find_program(program, search.path);
    if (!found.empty()) program = found;
    if (found.empty() && !fs::exists(program, error)) {
      return Error{.reason = Reason::kNotFound,
                   .message = fmt::format("there is no {} in PATH ({}); {}", program, search.named_by, kNameIt)};
    }
  }
  program = fs::absolute(program, error).lexically_normal().string();
  while (program.size() > 1 && program.ends_with('/')) program.pop_back();
  if (fs::is_directory(program, error)) program = program_in(program);
  if (is_script(program)) {
    const std::string shim = std::exchange(program, behind_shim(program));
    if (program.empty()) {
      return Error{
          .reason = Reason::kNotFound,
          .message = fmt::format("{} is a script that finds no Python here ({}); {}", shim, search.named_by, kNameIt)};
    }
  }
  return chosen(program, search, search.named_by, kNameIt);
}

std::optional<Choice> first_in(const std::string& path, const Search& search, const char* why) {
  for (const std::string& folder : split(path, ':')) {
    if (!folder.starts_with('/')) continue;  // relative to where the script is typed: never the user's Python
    for (const char* name : {"/python", "/python3"}) {
      std::string program = folder + name;
      if (!is_executable(program)) continue;
      if (is_script(program)) program = behind_shim(program);
      if (program.empty()) continue;
      auto found = read_interpreter(program, search.home);
      if (found) return Choice{*std::move(found), why};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Choice> choose_python(const Search& search) {
  if (!search.named.empty()) return named(search);
  constexpr std::string_view kAgain = "create the environment again, or name another Python with --python";
  if (!search.active.empty()) {
    return chosen(program_in(search.active), search, "active virtual environment", kAgain);
  }
  if (const std::string folder = environment_above(search); !folder.empty()) {
    return chosen(program_in(folder), search, fmt::format("environment of {}", fs::path(folder).parent_path().string()),
                  kAgain);
  }
  if (auto found = first_in(search.path, search, "first in PATH")) return *std::move(found);
  if (auto found = first_in(kUsualPath, search, "the machine's own")) return *std::move(found);
  return Error{.reason = Reason::kNotFound,
               .message = "there is no Python in PATH or on this machine; install python3, or name one with --python"};
}

std::string describe(const Choice& choice) {
  const std::string torch = package_version(choice.interpreter, "torch");
  return fmt::format("{} ({}){}", choice.interpreter.program, choice.why, torch.empty() ? "" : ", torch " + torch);
}

}  // namespace muster::python
