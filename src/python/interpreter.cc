#include "python/interpreter.h"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/files.h"
#include "base/find_program.h"
#include "base/strings.h"

namespace muster::python {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as many as the kernel follows

#if defined(__x86_64__)
constexpr unsigned kOwnMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kOwnMachine = EM_AARCH64;
#else
#error "the number of this architecture in an ELF header"
#endif

Error not_usable(std::string message) {
  return Error{.reason = Reason::kInvalid, .message = std::move(message)};
}

std::string real_path_of(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? "" : real.string();
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_within(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

/// Reads at most the first `size` bytes; "" if the file cannot be read.
std::string beginning_of(const std::string& path, std::size_t size) {
  std::string out(size, '\0');
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return "";
  out.resize(std::fread(out.data(), 1, size, file));
  std::fclose(file);
  return out;
}

/// Returns what the program is called at each step from link to link, itself first.
Result<std::vector<std::string>> follow_links(const std::string& program) {
  std::vector<std::string> steps = {program};
  std::error_code error;
  while (fs::is_symlink(fs::symlink_status(steps.back(), error))) {
    const fs::path target = fs::read_symlink(steps.back(), error);
    if (error || steps.size() > kMostLinks) return not_usable(fmt::format("{} is a link to itself", program));
    steps.push_back((fs::path(steps.back()).parent_path() / target).lexically_normal().string());
  }
  if (fs::exists(steps.back(), error)) return steps;
  if (steps.size() == 1) return not_usable(fmt::format("{} does not exist", program));
  return not_usable(fmt::format("{} is a link to {}, which does not exist", program, steps.back()));
}

Status check_program(const std::string& program) {
  if (is_folder(program)) return not_usable(fmt::format("{} is a folder", program));
  if (!is_executable(program)) return not_usable(fmt::format("{} is not executable", program));
  const std::string head = beginning_of(program, sizeof(Elf64_Ehdr));
  Elf64_Ehdr header{};
  if (head.size() < sizeof header || !head.starts_with(ELFMAG)) {
    return not_usable(fmt::format("{} is not a program", program));
  }
  std::memcpy(&header, head.data(), sizeof header);
  if (header.e_machine == kOwnMachine) return ok();
  return not_usable(fmt::format("{} is a program of another processor architecture", program));
}

/// Returns the folder above `bin`, or the folder of the program if that is not `bin`.
std::string prefix_of(const std::string& program) {
  const fs::path folder = fs::path(program).parent_path();
  return (folder.filename() == "bin" ? folder.parent_path() : folder).string();
}

std::string setting_of(const std::string& text, std::string_view name) {
  for (const std::string& line : split(text, '\n')) {
    const auto equals = line.find('=');
    if (equals == std::string::npos || trim(std::string_view(line).substr(0, equals)) != name) continue;
    return std::string(trim(std::string_view(line).substr(equals + 1)));
  }
  return "";
}

/// Adds PREFIX/lib/python3.X/NAME of every version.
void add_package_folders(const std::string& prefix, std::string_view name, std::vector<std::string>& to) {
  for (const char* lib : {"lib", "lib64"}) {
    if (lib[3] != '\0' && fs::is_symlink(prefix + "/lib64")) continue;  // to lib, in a virtual environment
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(prefix + "/" + lib, error)) {
      if (!entry.path().filename().string().starts_with("python3")) continue;
      const std::string folder = (entry.path() / name).string();
      if (is_folder(folder)) to.push_back(folder);
    }
  }
}

void add_packages_of_base(const std::string& prefix, std::vector<std::string>& to) {
  // As Debian changes it: what pip installs goes to /usr/local.
  if (prefix == "/usr") add_package_folders("/usr/local", "dist-packages", to);
  if (prefix == "/usr" && is_folder("/usr/lib/python3/dist-packages"))
    to.emplace_back("/usr/lib/python3/dist-packages");
  add_package_folders(prefix, "site-packages", to);
}

/// A whole home, or a folder at the top of the file system: nobody installs a package into these on purpose.
bool is_too_wide(const std::string& folder, const std::string& home) {
  const fs::path path = folder;
  return path.parent_path() == "/" || path.parent_path() == "/home" || is_within(home, folder);
}

/// What lies elsewhere although it is installed here: the lines of .pth files, and links.
void add_folders_outside(const std::string& packages, const std::string& home, std::vector<std::string>& to) {
  const auto add = [&](const fs::path& path) {
    std::error_code error;
    fs::path folder = (fs::is_directory(path, error) ? path : path.parent_path()).lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();  // it ended with a slash
    if (!path.empty() && fs::exists(path, error) && !is_too_wide(folder.string(), home)) to.push_back(folder.string());
  };
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(packages, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_symlink()) add(real_path_of(entry.path().string()));
    if (name.ends_with(".pth")) {
      for (const std::string& line : split(read_file(entry.path().string()).value_or(""), '\n')) {
        const std::string_view path = trim(line);
        if (!path.empty() && path[0] != '#' && !path.starts_with("import ") && !path.starts_with("import\t")) {
          add(fs::path(packages) / path);
        }
      }
    }
    // setuptools writes a module that maps the names of packages to their folders.
    if (name.starts_with("__editable__") && name.ends_with("_finder.py")) {
      const std::string text = read_file(entry.path().string()).value_or("");
      for (std::size_t at = text.find("'/"); at != std::string::npos; at = text.find("'/", at + 1)) {
        const std::size_t end = text.find('\'', at + 1);
        if (end != std::string::npos) add(text.substr(at + 1, end - at - 1));
      }
    }
  }
}

std::vector<std::string> without_inner(std::vector<std::string> folders) {
  std::ranges::sort(folders);
  std::vector<std::string> out;
  for (std::string& folder : folders) {
    const bool is_inner = std::ranges::any_of(out, [&](const std::string& outer) { return is_within(folder, outer); });
    if (!folder.empty() && !is_inner) out.push_back(std::move(folder));
  }
  return out;
}

/// Returns what has to be visible around a program or a link to one: an installation as a whole, else only its folder,
/// because what lies next to ~/.local/bin is not part of an interpreter.
std::string folder_around(const std::string& program) {
  const std::string prefix = prefix_of(program);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(prefix + "/lib", error)) {
    const bool is_version = entry.path().filename().string().starts_with("python3");
    if (is_version && fs::exists(entry.path() / "os.py", error)) return prefix;
  }
  return fs::path(program).parent_path().string();
}

/// The folder below lib that has the packages of this interpreter; "" if its name does not tell.
std::string version_folder(const std::string& real) {
  const std::string name = fs::path(real).filename().string();
  return name.starts_with("python3.") ? name : "";
}

}  // namespace

bool is_script(const std::string& program) {
  return beginning_of(program, 2) == "#!";
}

Result<Interpreter> read_interpreter(const std::string& program, const std::string& home) {
  TRY_ASSIGN(const std::vector<std::string> steps, follow_links(program));
  const std::string real = real_path_of(steps.back());
  if (is_script(real)) return not_usable(fmt::format("{} is a script, not an interpreter", program));
  TRY(check_program(real));
  Interpreter found{.program = program, .environment = "", .user_base = "", .package_folders = {}, .folders = {}};
  const std::string prefix = prefix_of(program);
  std::string base = prefix_of(real);
  bool sees_base = true;
  if (const auto text = read_file(prefix + "/pyvenv.cfg")) {
    found.environment = prefix;
    const std::string bin = setting_of(*text, "home");
    if (!bin.empty()) {
      base = fs::path(bin).parent_path().string();
      found.folders.push_back(folder_around(bin + "/python"));
    }
    sees_base = to_lower(setting_of(*text, "include-system-site-packages")) == "true";
    add_package_folders(prefix, "site-packages", found.package_folders);
  } else if (is_folder(prefix + "/conda-meta")) {
    found.environment = prefix;
  } else {
    found.program = real;  // it finds its packages from there in any case, and needs no link
  }
  if (!found.environment.empty()) found.folders.push_back(prefix);
  if (found.program == program) {
    for (const std::string& step : steps) found.folders.push_back(folder_around(step));
  }
  found.folders.push_back(folder_around(real));
  if (sees_base) {
    const std::string of_user = version_folder(real).empty() || home.empty()
                                    ? ""
                                    : fmt::format("{}/.local/lib/{}/site-packages", home, version_folder(real));
    if (is_folder(of_user)) {
      found.user_base = home + "/.local";
      found.package_folders.push_back(of_user);
    }
    add_packages_of_base(base, found.package_folders);
  }
  for (const std::string& packages : found.package_folders) {
    found.folders.push_back(packages);
    add_folders_outside(packages, home, found.folders);
  }
  found.folders = without_inner(std::move(found.folders));
  return found;
}

bool has_module(const Interpreter& interpreter, const std::string& module) {
  return std::ranges::any_of(interpreter.package_folders, [&](const std::string& folder) {
    std::error_code error;
    return is_folder(folder + "/" + module) || fs::exists(folder + "/" + module + ".py", error);
  });
}

std::string package_version(const Interpreter& interpreter, const std::string& package) {
  const std::string start = package + "-";
  for (const std::string& folder : interpreter.package_folders) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      for (const std::string_view end : {".dist-info", ".egg-info"}) {
        if (!name.starts_with(start) || !name.ends_with(end)) continue;
        return name.substr(start.size(), name.size() - start.size() - end.size());
      }
    }
  }
  return "";
}

}  // namespace muster::python
