// Records which pods have had a name, to find the log of the previous attempt after its pod is deleted.
#pragma once

#include <optional>
#include <string>

#include "agent/paths.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::agent {

Status remember_name(const Paths& paths, const json::Document& pod);
/// Returns the pod that had this name before `uid`, under the same owner; the most recent one when `uid` is "".
std::optional<std::string> previous_holder(const Paths& paths, const std::string& ns, const std::string& pod,
                                           const std::string& uid);

}  // namespace muster::agent
