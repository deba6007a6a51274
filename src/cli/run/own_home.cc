#include "cli/run/own_home.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "api/host_folders.h"

namespace muster::cli {

namespace {

namespace fs = std::filesystem;

/// Adds the folders in `folder`, with those around the engine's instead of the one that holds it.
void add_folders_around(const std::string& folder, const std::string& data_dir, std::vector<MountedFolder>& to) {
  std::error_code error;
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    // A link leads somewhere else, which is not part of the home.
    if (entry.is_directory(error) && !entry.is_symlink(error)) found.push_back(entry.path().string());
  }
  std::ranges::sort(found);
  for (const std::string& path : found) {
    if (path == data_dir) continue;
    if (api::lies_in(data_dir, path)) {
      add_folders_around(path, data_dir, to);
    } else {
      to.push_back({.path = path, .target = "", .read_only = false});
    }
  }
}

}  // namespace

OwnHome own_home(const std::string& home, const std::string& data_dir) {
  OwnHome out;
  const char* what = "";
  if (data_dir.empty() || !api::lies_in(data_dir, home)) {
    out.folders.push_back({.path = home, .target = "", .read_only = false});
  } else {
    add_folders_around(home, data_dir, out.folders);
    what = ", except the files directly in it and the engine's folder";
  }
  out.note = fmt::format("warning: --home: the job can read and change your home folder {} with its credentials{}",
                         home, what);
  return out;
}

}  // namespace muster::cli
