#include "agent/launch/environment.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/find_program.h"
#include "base/strings.h"
#include "python/interpreter.h"
#include "python/torchrun.h"

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

// A folder in the pod's /run with a link `python` where the host has only python3. Last in PATH: it hides nothing.
constexpr const char* kOwnPrograms = "/run/muster/bin";

std::string real_path(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? "" : real.string();
}

void show_through(FoundEnvironment& found, const std::string& path, const std::string& engine_directory) {
  if (engine_directory.starts_with(path + "/")) return;  // it would show the engine's data
  if (path.empty() || path == "/" || is_visible(path, engine_directory) || !fs::exists(path)) return;
  // A path inside a folder that is already visible needs no mount of its own.
  for (const std::string& shown : found.through) {
    if (path == shown || path.starts_with(shown + "/")) return;
  }
  found.through.push_back(path);
}

/// With systemd-resolved, /etc/resolv.conf is a link into /run, which is the pod's own.
void show_resolver(FoundEnvironment& found, const std::string& engine_directory) {
  show_through(found, real_path("/etc/resolv.conf"), engine_directory);
}

FoundEnvironment host_environment(const Options& options) {
  FoundEnvironment found;
  found.path = std::string(kUsualPath) + ":" + kOwnPrograms;
  const std::string python3 = find_program("python3", kUsualPath);
  if (find_program("python", kUsualPath).empty() && !python3.empty()) {
    found.links.emplace_back(std::string(kOwnPrograms) + "/python", python3);
  }
  found.description = python3.empty() ? "the host's environment (it has no python3)"
                                      : fmt::format("the host's environment (python is {})", python3);
  show_resolver(found, options.directory);
  return found;
}

Result<FoundEnvironment> venv_environment(const Environment& environment, const Options& options) {
  const std::string python = environment.venv + "/bin/python";
  if (!is_executable(python)) {
    return Error{.reason = Reason::kInvalid,
                 .message = fmt::format(
                     "environments: venv {} of image {} has no bin/python; create it with `python3 -m venv {}` "
                     "or change the configuration",
                     quote(environment.venv), quote(environment.image), environment.venv)};
  }
  FoundEnvironment found;
  found.path = fmt::format("{}/bin:{}:{}", environment.venv, python::kLauncherFolder, kUsualPath);
  found.variables = {{"VIRTUAL_ENV", environment.venv}};
  found.description = fmt::format("virtualenv {} (python is {})", environment.venv, real_path(python));
  show_through(found, environment.venv, options.directory);
  // What a script needs that somebody wrote instead of the interpreter's link is known to that script only.
  if (const auto interpreter = python::read_interpreter(python, "")) {
    for (const std::string& folder : interpreter->folders) show_through(found, folder, options.directory);
  }
  show_resolver(found, options.directory);
  return found;
}

Result<FoundEnvironment> rootfs_environment(const Environment& environment) {
  if (!fs::is_directory(environment.rootfs)) {
    return Error{
        .reason = Reason::kInvalid,
        .message = fmt::format("environments: rootfs {} of image {} is not a folder; unpack the image there or "
                               "change the configuration",
                               quote(environment.rootfs), quote(environment.image))};
  }
  FoundEnvironment found;
  found.path = kUsualPath;
  found.rootfs = environment.rootfs;
  found.description = fmt::format("root file system {}", environment.rootfs);
  // Names are looked up as on the host.
  if (fs::is_regular_file(fs::symlink_status(environment.rootfs + "/etc/resolv.conf"))) {
    found.shown.emplace_back("/etc/resolv.conf", real_path("/etc/resolv.conf"));
  }
  return found;
}

/// What a container may change when its environment is writable: not /etc, which holds secrets of the host.
std::vector<std::string> writable_folders(const Environment& environment) {
  if (!environment.writable) return {};
  if (!environment.rootfs.empty()) return {"/"};
  std::vector<std::string> folders = {"/usr"};
  if (!environment.venv.empty()) folders.push_back(environment.venv);
  return folders;
}

Result<FoundEnvironment> find_configured(const Environment& environment, const Options& options) {
  FoundEnvironment found;
  if (!environment.venv.empty()) {
    TRY_ASSIGN(found, venv_environment(environment, options));
  } else if (!environment.rootfs.empty()) {
    TRY_ASSIGN(found, rootfs_environment(environment));
  } else {
    found = host_environment(options);
  }
  for (const auto& [name, value] : environment.env) found.variables.emplace_back(name, value);
  for (const Environment::Mount& mount : environment.mounts) found.shown.emplace_back(mount.path, mount.from);
  found.writable = writable_folders(environment);
  found.working_dir = environment.working_dir;
  found.command = environment.command;
  found.home = environment.home;
  return found;
}

bool has_module(const std::string& program, const std::string& module) {
  const auto interpreter = python::read_interpreter(program, "");
  return interpreter && python::has_module(*interpreter, module);
}

/// Returns the environment that serves an image which nobody mapped and which needs the module; null: the host's.
const Environment* environment_with(const std::string& module, const Options& options) {
  const bool host_may = !options.refuse_unmapped;
  if (module.empty() || (host_may && has_module(find_program("python3", kUsualPath), module))) return nullptr;
  const auto found = std::ranges::find_if(options.environments, [&](const Environment& e) {
    return !e.venv.empty() && has_module(e.venv + "/bin/python", module);
  });
  return found == options.environments.end() ? nullptr : &*found;
}

}  // namespace

bool is_visible(const std::string& path, const std::string& engine_directory) {
  if (path == engine_directory || path.starts_with(engine_directory + "/")) return false;
  return is_in_system_folder(path);
}

Result<FoundEnvironment> find_environment(const std::string& image, const Options& options, const std::string& module) {
  const auto match = std::ranges::find_if(options.environments,
                                          [&image](const Environment& e) { return wildcard_match(e.image, image); });
  const Environment* chosen = match == options.environments.end() ? environment_with(module, options) : &*match;
  if (chosen == nullptr && options.refuse_unmapped) {
    return Error{
        .reason = Reason::kInvalid,
        .message = fmt::format("image {}: no environment is configured for it; add one to `environments`, or set "
                               "`unmapped: host` to use the host's",
                               quote(image))};
  }
  FoundEnvironment found;
  if (chosen == nullptr) {
    found = host_environment(options);
  } else {
    TRY_ASSIGN(found, find_configured(*chosen, options));
  }
  if (chosen != nullptr && match == options.environments.end()) {
    found.description +=
        fmt::format(", because no environment is configured for the image and this one has {}", module);
  }
  found.description = fmt::format("image {}: {}", quote(image), found.description);
  return found;
}

}  // namespace muster::agent
