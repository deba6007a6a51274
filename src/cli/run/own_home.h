// The user's own home folder in a job, for `muster run --home`.
#pragma once

#include <string>
#include <vector>

#include "cli/run/job.h"

namespace muster::cli {

struct OwnHome {
  std::vector<MountedFolder> folders;
  std::string note;  // what the user should know
};

/// The home as one folder, or, when the engine's folder lies in it, the folders around that. No pod sees that one, and
/// a single file cannot be mounted by itself.
OwnHome own_home(const std::string& home, const std::string& data_dir);

}  // namespace muster::cli
