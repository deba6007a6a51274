// The status of a pod as a kubelet would write it, computed from the shim's records. Pure.
#pragma once

#include <string>

#include "agent/pod/decide.h"
#include "json/document.h"

namespace muster::agent {

/// Returns the whole status object. Fields written by others, such as unknown conditions, are kept, and a final phase
/// does not change.
json::Document pod_status(const json::Document& pod, const PodView& view);

/// Returns the kubelet's reason for the end of a run: Completed, Error, ContainerCannotRun.
std::string end_reason(const LastRun& run);

}  // namespace muster::agent
