// Which pods the collector removes: those that no agent looks after, because they are bound to a node that does not
// exist or are deleted before they were bound. Nobody else would ever report their end.
#pragma once

#include <optional>

#include "api/kubernetes/core_v1.h"
#include "base/time.h"
#include "json/document.h"

namespace muster::control {

/// A node that is missing for less may be about to register itself. Kubernetes waits as long.
inline constexpr Duration kNodeQuarantine = std::chrono::seconds(40);

struct Collection {
  std::optional<json::Document> status;  // a merge patch of the pod's status, to be written first
  bool remove = false;                   // without a grace period: there is nothing to stop
  std::optional<Duration> look_again;
};

/// `missing_for` is how long the pod's node has been missing; absent when the node exists or the pod is bound to none.
/// Total, pure and deterministic.
Collection collect(const api::Pod& pod, std::optional<Duration> missing_for, Time now);

}  // namespace muster::control
