// The Deployment controller: as many pods as wanted, made from the current template. There are no ReplicaSets between
// the two. A changed template replaces all pods at once (Recreate), whatever the strategy says: on one machine the old
// and the new pod would compete for ports and devices.
#pragma once

#include "control/controller.h"

namespace muster::control {

/// Total, pure and deterministic.
Plan plan_deployment(const Snapshot& seen);

Controller deployment_controller();

}  // namespace muster::control
