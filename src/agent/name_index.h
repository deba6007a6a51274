// Which pods have had a name: finds the log of the try before, after its pod is gone.
#pragma once

#include <optional>
#include <string>

#include "agent/paths.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::agent {

Status remember_name(const Paths& paths, const json::Document& pod);
/// The pod that had this name before `uid`, under the same owner; the last one of all when `uid` is "".
std::optional<std::string> previous_holder(const Paths& paths, const std::string& ns, const std::string& pod,
                                           const std::string& uid);
/// The number of the pod's last attempt; nullopt when it never had one.
std::optional<int> last_attempt(const Paths& paths, const std::string& uid);

}  // namespace muster::agent
