#include "api/host_folders.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/strings.h"

namespace muster::api {
namespace {

std::string without_last_slash(const std::string& path) {
  return path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

}  // namespace

bool lies_in(const std::string& path, const std::string& folder) {
  return path == folder || folder == "/" || path.starts_with(folder + "/");
}

std::string named_folder_problem(const std::string& given, const std::string& data_dir) {
  const std::string path = without_last_slash(given);
  if (!path.starts_with('/')) return "must be an absolute path";
  if (std::filesystem::path(path).lexically_normal().string() != path) return "must not contain '..', '.' or '//'";
  if (path == "/" || std::ranges::any_of(std::array{"/proc", "/dev", "/sys"},
                                         [&path](const char* kernels) { return lies_in(path, kernels); })) {
    return "must not be / or lie in /proc, /dev or /sys";
  }
  if (!data_dir.empty() && (lies_in(path, data_dir) || lies_in(data_dir, path))) {
    return fmt::format("must not be the engine's data directory {}, contain it or lie in it", quote(data_dir));
  }
  return "";
}

std::string host_path_problem(const std::string& given, const HostFolders& folders) {
  if (std::string problem = named_folder_problem(given, folders.data_dir); !problem.empty()) return problem;
  const std::string path = without_last_slash(given);
  if (std::ranges::any_of(folders.allowed, [&path](const std::string& folder) { return lies_in(path, folder); })) {
    return "";
  }
  return "must lie in a folder that the configuration allows; add it to `hostPaths` in config.yaml and restart the "
         "engine, or name it in the annotation muster.dev/path of a claim";
}

}  // namespace muster::api
