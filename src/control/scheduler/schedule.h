// schedule decides which waiting pods start now, on one machine or a few. It is total, pure and deterministic. The pods
// of a gang start together or not at all. CPU and memory never make a pod wait, because manifests are written for
// larger machines than this one; GPUs and other countable devices do, and so does a node that has its maximum of pods.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/kubernetes/core_v1.h"

namespace muster::control {

struct Cluster {
  std::vector<std::shared_ptr<const api::Pod>> pods;    // any order
  std::vector<std::shared_ptr<const api::Node>> nodes;  // any order
};

struct Binding {
  std::string ns;
  std::string pod;
  std::string uid;
  std::string node;
  bool operator==(const Binding&) const = default;
};

/// A gang that cannot start, and why.
struct Waiting {
  std::string gang;  // "default/bert", for users
  std::vector<std::shared_ptr<const api::Pod>> pods;
  std::string message;
};

/// A gang that starts although it requests more CPU or memory than exists.
struct Overcommitted {
  std::string gang;
  std::shared_ptr<const api::Pod> first_pod;
  std::string message;
};

struct Schedule {
  std::vector<Binding> bindings;
  std::vector<Waiting> waiting;
  std::vector<Overcommitted> overcommitted;
};

/// Takes gangs in the order of their oldest pods. One that waits for a device keeps its place: a later gang that wants
/// the device waits behind it, so small jobs do not starve large ones. Gangs that want nothing scarce go ahead.
Schedule schedule(const Cluster& cluster);

/// Returns the pod's requests, counted as in Kubernetes: the larger of its containers' sum and any one init container.
api::ResourceList requests_of(const api::Pod& pod);

}  // namespace muster::control
