// The conditions of a namespace that is being deleted: which objects remain and which finalizers hold them. Pure.
#pragma once

#include <map>
#include <string>

#include "base/time.h"
#include "json/document.h"

namespace muster::apiserver {

/// `resources` and `finalizers` that remain, each with its number of objects. A condition keeps its time as long as its
/// status stays the same.
void set_terminating_conditions(json::Document& ns, const std::map<std::string, int>& resources,
                                const std::map<std::string, int>& finalizers, Time now);

}  // namespace muster::apiserver
