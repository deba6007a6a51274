// Where the controllers run, which determines what pods can rely on.
#pragma once

namespace muster::jobs {

enum class Where {
  // One machine. Pods share the host's ports, so each job gets ports of its own, and pod names resolve inside pods.
  // Here we also schedule pods, remove those of nodes that do not exist, and run deployments.
  kEngine,
  // One machine on which each job has a network of its own, with the ports that its manifest names.
  kJobNetworks,
  // Kubernetes. Each pod has an address of its own, names come from headless services, and the cluster does the rest.
  kCluster,
};

}  // namespace muster::jobs
