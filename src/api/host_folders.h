// Which folders of this machine an object or the configuration may name. Compares texts only: whoever opens such a
// folder checks its real path too, because symbolic links can lead anywhere.
#pragma once

#include <string>
#include <vector>

namespace muster::api {

struct HostFolders {
  std::string data_dir;              // the engine's own, absolute and without symbolic links
  std::vector<std::string> allowed;  // where hostPath may lead, by the configuration
};

/// Returns true for the folder itself and for everything in it.
bool lies_in(const std::string& path, const std::string& folder);

/// Returns what is wrong with a folder that the owner names, by `muster.dev/path` or in the configuration; "" when
/// nothing is: "must be an absolute path".
std::string named_folder_problem(const std::string& path, const std::string& data_dir);

/// The same for hostPath, which in addition must lie in one of the allowed folders.
std::string host_path_problem(const std::string& path, const HostFolders& folders);

}  // namespace muster::api
