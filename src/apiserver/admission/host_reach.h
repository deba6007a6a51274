// What an object may hold only when the engine's owner writes it, because it reaches the host: `hostPath` in a pod or
// in a template of whatever kind, and the annotation `muster.dev/path`, which names a folder of the host.
#pragma once

#include <string>

#include "apiserver/http/request.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver {

/// Returns the path of the first such member; "" when there is none.
std::string host_reach(const json::Document& object);

/// Forbidden when anybody but the owner would store an object that reaches the host, or change one: who changes the
/// command of a pod template uses all that the template mounts. `before` is null for a new object.
Status check_host_reach(const ResourceRequest& request, const json::Document* before, const json::Document& after);

}  // namespace muster::apiserver
