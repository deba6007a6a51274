// What a pod's launch needs on this machine.
#pragma once

#include <string>
#include <vector>

#include "agent/launch/launch_file.h"
#include "agent/pod/decide.h"

namespace muster::agent {

/// A folder to create before the start when it is missing.
struct LaunchFolder {
  std::string path;
  bool is_private = false;  // only the pod's containers reach it, so whatever user they run as may write to it
  bool operator==(const LaunchFolder&) const = default;
};

struct LaunchPlan {
  Launch launch;
  std::vector<LaunchFolder> folders;
  std::vector<PodEvent> events;
  std::vector<int> locks = {};  // descriptors that the pod's processes hold as long as they live; not of this plan
};

}  // namespace muster::agent
