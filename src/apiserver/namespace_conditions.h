// The conditions of a namespace that is being deleted: what is left in it and what holds that. Pure.
#pragma once

#include <map>
#include <string>

#include "base/time.h"
#include "json/document.h"

namespace muster::apiserver {

/// `resources` and `finalizers` that remain, with how many objects each. A condition that keeps its status keeps its
/// time too.
void set_terminating_conditions(json::Document& ns, const std::map<std::string, int>& resources,
                                const std::map<std::string, int>& finalizers, Time now);

}  // namespace muster::apiserver
