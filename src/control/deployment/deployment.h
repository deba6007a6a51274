// The Deployment controller keeps the wanted number of pods, created from the current template. There are no
// ReplicaSets in between. A changed template replaces all pods at once (Recreate), whatever the strategy: on one
// machine the old and the new pods would compete for ports and devices.
#pragma once

#include "control/controller.h"

namespace muster::control {

/// Total, pure and deterministic.
Plan plan_deployment(const Snapshot& seen);

Controller deployment_controller();

}  // namespace muster::control
