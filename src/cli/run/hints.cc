#include "cli/run/hints.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/find_program.h"
#include "cli/run/objects.h"

namespace muster::cli {

namespace {

namespace fs = std::filesystem;

/// Returns what stands between `before` and the next of `ends`; "" when it is not there.
std::string text_after(const std::string& text, std::string_view before, std::string_view ends) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return "";
  const std::size_t from = at + before.size();
  const std::size_t end = text.find_first_of(ends, from);
  return end == std::string::npos ? "" : text.substr(from, end - from);
}

/// A module is missing from a Python, so it helps to say from which, and which other one has it.
void add_missing_module(const std::string& message, const RunPrograms& programs, std::vector<std::string>& to) {
  const std::string module = text_after(message, "No module named '", ".'");
  if (module.empty() || programs.text.empty()) return;
  to.push_back(fmt::format("note: python was {}; install the module there, or activate an environment that has it",
                           programs.text));
  if (!programs.python) return;
  const auto own = python::choose_python({.path = kUsualPath});
  if (!own || own->interpreter.program == programs.python->interpreter.program) return;
  if (!python::has_module(own->interpreter, module)) return;
  to.push_back(
      fmt::format("note: {} has it: muster run --python {}", own->interpreter.program, own->interpreter.program));
}

/// The folder that --mount would have to name for this path; "" when there is none.
std::string folder_to_mount(const std::string& path, const SafeFolders& safe) {
  std::error_code error;
  const std::string folder = fs::is_directory(path, error) ? path : fs::path(path).parent_path().string();
  return safe.why_never(folder).empty() ? folder : "";
}

/// `~` in a job is the home that the engine keeps for jobs. Returns whether the user's own has the file.
bool add_file_of_home(const std::string& path, const SafeFolders& safe, const RunFrom& from,
                      std::vector<std::string>& to) {
  std::error_code error;
  if (from.home == kHomeOfPods || !path.starts_with(kHomeOfPods + std::string("/"))) return false;
  const std::string own = from.home + path.substr(std::string_view(kHomeOfPods).size());
  if (!fs::exists(own, error)) return false;
  const std::string folder = folder_to_mount(own, safe);
  const std::string target = fs::is_directory(own, error) ? path : fs::path(path).parent_path().string();
  to.push_back(fmt::format("note: ~ in the job is a home that the engine keeps for jobs, not {}: muster run {} …",
                           from.home, folder.empty() ? "--home" : fmt::format("--mount {}:{}", folder, target)));
  return true;
}

void add_debugger(const std::string& message, std::vector<std::string>& to) {
  if (message.find("bdb.BdbQuit") == std::string::npos) return;
  to.push_back("note: a debugger needs a terminal: muster run -it …");
}

void add_missing_file(const std::string& message, const JobFolders& folders, const SafeFolders& safe,
                      const RunFrom& from, std::vector<std::string>& to) {
  const std::string named = text_after(message, "No such file or directory: '", "'");
  if (named.empty()) return;
  std::error_code error;
  std::string path = (from.working_dir / fs::path(named)).lexically_normal().string();
  if (add_file_of_home(path, safe, from, to)) return;
  // A result that the script could not write: its folder is what is missing.
  if (!fs::exists(path, error)) path = fs::path(path).parent_path().string();
  if (!fs::exists(path, error) || SafeFolders::is_in_every_pod(path)) return;
  const std::string real = fs::weakly_canonical(path, error).string();
  const bool is_link_out = folders.shows(path) && !folders.shows(real);
  if (folders.shows(path) && !is_link_out) return;
  const std::string wanted = is_link_out ? real : path;
  const std::string folder = folder_to_mount(wanted, safe);
  if (folder.empty()) {
    const std::string parent = fs::path(wanted).parent_path().string();
    const std::string& of = safe.why_never(wanted).empty() ? parent : wanted;
    to.push_back(fmt::format("note: {} exists on this machine but not in the job, which must not see {}: {}", path, of,
                             safe.why_never(of)));
    return;
  }
  to.push_back(
      fmt::format("note: {} exists on this machine but not in the job: muster run --mount {} …", path, folder));
}

}  // namespace

std::vector<std::string> hints_about(const std::string& message, const RunPrograms& programs, const JobFolders& folders,
                                     const SafeFolders& safe, const RunFrom& from) {
  std::vector<std::string> out;
  add_missing_module(message, programs, out);
  add_debugger(message, out);
  add_missing_file(message, folders, safe, from, out);
  return out;
}

}  // namespace muster::cli
