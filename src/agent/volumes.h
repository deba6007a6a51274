// A pod's volumes: where each comes from and where a container wants it. Pure; folders are made by the caller.
#pragma once

#include <string>
#include <vector>

#include "agent/container_env.h"
#include "agent/launch_file.h"
#include "agent/paths.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::agent {

struct VolumePlan {
  std::vector<LaunchVolume> volumes;
  std::vector<std::string> folders;  // to make before the start, when missing
};

/// NotFound when a claim, ConfigMap or Secret is missing: the pod can start when it appears. Invalid for kinds of
/// volumes that are not to be had here.
Result<VolumePlan> plan_volumes(const json::Document& pod, const References& references, const Paths& paths);

/// In the order they must be mounted: what lies inside another comes after it.
Result<std::vector<LaunchMount>> plan_mounts(const json::Document& pod, const json::Document& container);

/// The folder behind a claim: its annotation's, or the usual one.
std::string claim_folder(const json::Document& claim, const Paths& paths);

}  // namespace muster::agent
