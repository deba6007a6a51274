// Whether a pod may run on a node, apart from how much it requests.
#pragma once

#include <string>

#include "api/kubernetes/core_v1.h"

namespace muster::control {

/// Returns why the node is not for the pod, and what would change that; "" when it is. Follows spec.nodeSelector, the
/// required node affinity, and taints with their tolerations. Preferences are not followed.
std::string node_mismatch(const api::Pod& pod, const api::Node& node);

}  // namespace muster::control
