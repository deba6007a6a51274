// What pods request, and arithmetic with lists of resources.
#pragma once

#include <string>

#include "api/kubernetes/core_v1.h"

namespace muster::control {

inline constexpr const char* kPodSlots = "pods";  // the resource of which every pod takes one

/// Returns the pod's requests, counted as in Kubernetes: the larger of its containers' sum and any one init container.
api::ResourceList requests_of(const api::Pod& pod);
/// Returns what the pod takes from its node: its requests and one pod slot.
api::ResourceList taken_by(const api::Pod& pod);

void add_to(api::ResourceList& sum, const api::ResourceList& more);
void take_from(api::ResourceList& sum, const api::ResourceList& less);
/// Returns zero for a resource that is not in the list.
Quantity amount_of(const api::ResourceList& list, const std::string& resource);
/// Returns the amount for users: "1500m" of CPU, "8Gi" of memory, "1000" pods.
std::string amount_text(const std::string& resource, const Quantity& amount);

}  // namespace muster::control
