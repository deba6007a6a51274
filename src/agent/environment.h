// What stands in for a container image: the host's own programs, or a virtual environment on it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "agent/agent.h"
#include "agent/container_env.h"
#include "base/result.h"

namespace muster::agent {

/// An environment as found on this host.
struct FoundEnvironment {
  std::string path;                                        // PATH
  Variables variables;                                     // defaults of every container
  std::vector<std::string> through;                        // folders to show although a parent is covered
  std::vector<std::pair<std::string, std::string>> links;  // made inside the pod
  std::string description;                                 // "virtualenv /opt/venv (python is /usr/bin/python3.11)"
};

/// The environment that `image` selects. Invalid when none does and `refuse_unmapped` is set, or when what is
/// configured is not there. Reads the file system.
Result<FoundEnvironment> find_environment(const std::string& image, const Options& options);

/// Folders of the host that a pod does not see, because it has its own.
bool is_covered(const std::string& path, const std::string& engine_directory);

}  // namespace muster::agent
