// A pod's volumes: where each comes from and where a container mounts it. Pure; the caller creates the folders.
#pragma once

#include <string>
#include <vector>

#include "agent/disk/paths.h"
#include "agent/launch/container_env.h"
#include "agent/launch/launch_plan.h"
#include "agent/settings/options.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::agent {

struct VolumePlan {
  std::vector<LaunchVolume> volumes;
  std::vector<LaunchFolder> folders;
};

/// What the volumes of a pod can show besides its own document. `access` is null when the pod has none.
struct VolumeInputs {
  const PodFacts& facts;
  const References& references;
  const ApiAccess* access = nullptr;
};

/// NotFound when a claim, ConfigMap, Secret or service account is missing: the pod can start once it exists. Invalid
/// for volume types that this engine does not support.
Result<VolumePlan> plan_volumes(const json::Document& pod, const VolumeInputs& inputs, const Paths& paths);

/// Returns the mounts in the order in which they must be made: outer ones before the ones inside them. `variables` are
/// those of the container.
Result<std::vector<LaunchMount>> plan_mounts(const json::Document& pod, const json::Document& container,
                                             const Variables& variables);

/// Returns the folder of a claim: the one in its annotation, or the default.
std::string claim_folder(const json::Document& claim, const Paths& paths);

}  // namespace muster::agent
