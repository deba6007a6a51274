#include "agent/volumes/volume_folders.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

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

Status VolumeFolders::prepare(const json::Document&, LaunchPlan& plan) {
  for (LaunchVolume& volume : plan.launch.volumes) {
    if (auto* folder = std::get_if<HostFolder>(&volume.source)) TRY(real_folder(*folder, allowed_));
  }
  for (const LaunchFolder& folder : plan.folders) {
    TRY(make_directories(folder.path, 0755));
    if (folder.is_private && ::chmod(folder.path.c_str(), 0777) != 0)
      return errno_error("chmod " + quote(folder.path), errno);
  }
  // Again, now that all of them exist: the shim follows no link.
  for (LaunchVolume& volume : plan.launch.volumes) {
    if (auto* folder = std::get_if<HostFolder>(&volume.source)) {
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
