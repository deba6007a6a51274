// schedule decides which waiting pods start now, on one machine or a few. It is total, pure and deterministic. As many
// pods of a gang as it needs start together or not at all. CPU and memory never make a pod wait unless scheduling is
// strict, because manifests are written for larger machines than this one; GPUs and other countable devices do, and so
// do queues, what a pod demands of its node, and a node that has its maximum of pods.
#pragma once

#include <string>
#include <vector>

#include "control/scheduler/ledger.h"
#include "control/scheduler/queues.h"
#include "control/scheduler/requests.h"

namespace muster::control {

struct Binding {
  std::string ns;
  std::string pod;
  std::string uid;
  std::string node;
  // How many pods the agent must start together with this one; 0 when the pod itself says so.
  std::size_t gang_size = 0;
  bool operator==(const Binding&) const = default;
};

/// Pods of a gang that cannot start, and why.
struct Waiting {
  std::string gang_id;
  std::string gang;  // "default/bert", for users
  std::vector<PodPtr> pods;
  std::string message;
};

/// Something to report about a gang that does not keep it from starting.
struct GangNotice {
  std::string gang_id;
  std::string gang;
  PodPtr first_pod;
  std::string message;
};

struct Schedule {
  std::vector<Binding> bindings;
  std::vector<Waiting> waiting;
  std::vector<GangNotice> overcommitted;   // requests more CPU or memory than exists
  std::vector<GangNotice> without_queues;  // its queue does not exist, so it is in the default queue
};

/// Takes gangs by the priority of their queue, of their group and of their pods' class, and then in the order of their
/// oldest pods. One that waits for a device, or for its queue's quota, keeps its place: a later gang that wants the
/// same waits behind it, so small jobs do not starve large ones. Gangs that want nothing scarce go ahead, and a gang
/// that can never start blocks nobody. Of a sweep at most as many jobs start as its pods say (muster.dev/parallel); the
/// others claim nothing. Nothing that runs is preempted.
Schedule schedule(const Ledger& ledger, const ClusterObjects& objects);

}  // namespace muster::control
