// The environment that replaces a container image: the host's own programs, a virtual environment on the host, or a
// root file system in a folder of the host.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agent/launch/container_env.h"
#include "agent/settings/options.h"
#include "base/result.h"

namespace muster::agent {

/// An environment as it was found on this host.
struct FoundEnvironment {
  std::string path;                                        // the value of PATH
  Variables variables;                                     // default variables of every container
  std::vector<std::string> through;                        // folders to bind although a parent is hidden
  std::vector<std::pair<std::string, std::string>> links;  // symbolic links created inside the pod
  std::string rootfs;                                      // "": the host's system folders
  std::vector<std::string> writable;  // folders in the container that it may change; "/": the rootfs
  std::vector<std::pair<std::string, std::string>> shown;  // path in the container, folder of the host
  std::string working_dir;                                 // "" when it has none
  std::vector<std::string> command;                        // empty when it has none
  std::string home;                                        // a folder of the host; "" when $HOME is not kept
  std::string description;                                 // "virtualenv /opt/venv (python is /usr/bin/python3.11)"
};

/// Returns the environment that `image` selects. If none matches, it is the host's; but where that lacks the Python
/// `module`, the first configured virtual environment that has it. Invalid when none matches and `refuse_unmapped` is
/// set, or when the configured one does not exist. Reads the file system.
Result<FoundEnvironment> find_environment(const std::string& image, const Options& options,
                                          const std::string& module = "");

/// Returns true for what lies in the host's system folders, which every pod sees (is_system_folder of the shim).
bool is_visible(const std::string& path, const std::string& engine_directory);

}  // namespace muster::agent
