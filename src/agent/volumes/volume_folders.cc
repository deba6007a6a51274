#include "agent/volumes/volume_folders.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"

namespace muster::agent {

Result<std::string> real_folder(const HostFolder& folder, const api::HostFolders& allowed) {
  std::error_code error;
  const std::string real = std::filesystem::weakly_canonical(folder.path, error);
  if (error) return errno_error("find " + quote(folder.path), error.value());
  if (folder.origin == FolderOrigin::kEngine) return real;
  const std::string problem = folder.origin == FolderOrigin::kHostPath
                                  ? api::host_path_problem(real, allowed)
                                  : api::named_folder_problem(real, allowed.data_dir);
  if (problem.empty()) return real;
  return Error{.reason = Reason::kInvalid,
               .message = fmt::format("folder {}: its real path {} {}", quote(folder.path), quote(real), problem)};
}

std::string missing_folder_problem(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(path, error)) return "";
  if (fs::exists(path, error)) return "must be a folder";
  const std::string tidy = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  const fs::path parent = fs::path(tidy).parent_path();
  std::vector<std::string> siblings;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    if (entry.is_directory(error)) siblings.push_back(entry.path().filename().string());
  }
  const auto meant = did_you_mean(fs::path(tidy).filename().string(), siblings);
  return fmt::format("must be a folder that exists (to make it: mkdir -p {}){}", tidy,
                     meant ? fmt::format("; did you mean {}?", quote((parent / *meant).string())) : "");
}

std::string host_path_type_problem(const std::string& path, const std::string& type) {
  struct Kind {
    std::string_view type;
    mode_t mode;
    std::string_view words;
  };
  constexpr std::array<Kind, 6> kKinds = {{{"Directory", S_IFDIR, "a folder"},
                                           {"DirectoryOrCreate", S_IFDIR, "a folder"},
                                           {"File", S_IFREG, "a file"},
                                           {"Socket", S_IFSOCK, "a socket"},
                                           {"CharDevice", S_IFCHR, "a character device"},
                                           {"BlockDevice", S_IFBLK, "a block device"}}};
  const auto kind = std::ranges::find(kKinds, type, &Kind::type);
  if (kind == kKinds.end()) return "";
  struct ::stat what = {};
  if (::stat(path.c_str(), &what) == 0 && (what.st_mode & S_IFMT) == kind->mode) return "";
  return fmt::format("must be {} that exists, because the type of the hostPath is {}", kind->words, type);
}

Status VolumeFolders::prepare(const json::Document&, LaunchPlan& plan) {
  for (LaunchVolume& volume : plan.launch.volumes) {
    const auto* folder = std::get_if<HostFolder>(&volume.source);
    if (folder == nullptr) continue;
    TRY(real_folder(*folder, allowed_));
    std::error_code error;
    if (folder->origin != FolderOrigin::kNamed || std::filesystem::exists(folder->path, error)) continue;
    return Error{.reason = Reason::kNotFound,
                 .message = fmt::format("volume {}: {} {}", quote(volume.name), quote(folder->path),
                                        missing_folder_problem(folder->path))};
  }
  for (const LaunchFolder& folder : plan.folders) {
    TRY(make_directories(folder.path, 0755));
    if (folder.is_private && ::chmod(folder.path.c_str(), 0777) != 0)
      return errno_error("chmod " + quote(folder.path), errno);
  }
  // Again, now that all of them exist: the shim follows no link.
  for (LaunchVolume& volume : plan.launch.volumes) {
    if (auto* folder = std::get_if<HostFolder>(&volume.source)) {
      if (const std::string problem = host_path_type_problem(folder->path, folder->type); !problem.empty()) {
        return Error{.reason = Reason::kNotFound,
                     .message = fmt::format("volume {}: {} {}", quote(volume.name), quote(folder->path), problem)};
      }
      TRY_ASSIGN(folder->path, real_folder(*folder, allowed_));
    }
  }
  return ok();
}

void VolumeFolders::clean_up(const std::string& uid) {
  if (const auto taken = trash_.take(paths_.pod_volumes(uid)); !taken)
    LOG_WARN("volumes not removed", {"error", taken.error().message});
}

}  // namespace muster::agent
