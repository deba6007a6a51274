// Where the controllers run, which decides what pods can count on.
#pragma once

namespace muster::control {

enum class Where {
  // One machine: pods share the host's ports, so each job gets ports of its own, and pod names resolve inside pods. We
  // also schedule and run deployments.
  kEngine,
  // Kubernetes: each pod has an address of its own, names come from headless services, and the cluster does the rest.
  kCluster,
};

}  // namespace muster::control
