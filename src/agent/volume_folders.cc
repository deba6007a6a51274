#include "agent/volume_folders.h"

#include <sys/stat.h>

#include <cerrno>

#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"

namespace muster::agent {

Status VolumeFolders::prepare(const json::Document&, LaunchPlan& plan) {
  for (const LaunchFolder& folder : plan.folders) {
    TRY(make_directories(folder.path, 0755));
    if (folder.is_private && ::chmod(folder.path.c_str(), 0777) != 0)
      return errno_error("chmod " + quote(folder.path), errno);
  }
  return ok();
}

void VolumeFolders::clean_up(const std::string& uid) {
  if (const auto taken = trash_.take(paths_.pod_volumes(uid)); !taken)
    LOG_WARN("volumes not removed", {"error", taken.error().message});
}

}  // namespace muster::agent
