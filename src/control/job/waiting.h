// Why a pod does not run yet, as scheduler and kubelet report it in its status, in words for the person who can change
// that. Pure.
#pragma once

#include <string>
#include <string_view>

#include "api/kubernetes/core_v1.h"

namespace muster::control {

struct Wait {
  std::string reason;  // of a condition; "": nothing but time
  std::string message;
  bool is_vague = false;  // an earlier message of the same reason says more
};

Wait wait_of(const api::Pod& pod);

/// Returns the condition that says why the cluster ends the pod; null when there is none.
const api::Condition* disruption_of(const api::Pod& pod);

}  // namespace muster::control
