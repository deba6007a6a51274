// The parts of the table in resource.cc.
#pragma once

#include "api/resource.h"

namespace muster::api {

std::vector<std::string> all_verbs();
/// Kinds that are not Kubernetes' own.
std::vector<Resource> custom_resources();

}  // namespace muster::api
