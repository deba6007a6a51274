// The objects that run the operator and that watch it: Deployment, Service, PodDisruptionBudget, PriorityClass,
// ServiceMonitor.
#pragma once

#include <vector>

#include "install/objects/settings.h"
#include "json/document.h"

namespace muster::install {

json::Document operator_deployment(const Settings& settings);
std::vector<json::Document> workload_objects(const Settings& settings);

}  // namespace muster::install
