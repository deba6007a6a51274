// The parts of the table in resource.cc.
#pragma once

#include "api/resource.h"

namespace muster::api {

std::vector<std::string> all_verbs();
/// The kinds that are not built into Kubernetes.
std::vector<Resource> custom_resources();

}  // namespace muster::api
