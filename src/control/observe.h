// Questions about observed objects that every plan asks.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "api/kubernetes/core_v1.h"

namespace muster::control {

/// Returns true for a pod that is being deleted; its behaviour from then on says nothing about its work.
inline bool is_terminating(const api::Pod& pod) {
  return pod.metadata.deletion_timestamp.has_value();
}

inline bool is_finished_pod(const api::Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

}  // namespace muster::control
