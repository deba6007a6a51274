// What reaches the host: `hostPath` in a pod or in a template of whatever kind, and the annotation `muster.dev/path`,
// which names a folder of the host, and `hostNetwork: true`. Only the engine's owner may write objects with them, and
// even the owner may name only some folders.
#pragma once

#include <string>
#include <vector>

#include "apiserver/context/context.h"
#include "apiserver/http/request.h"
#include "base/error.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver {

/// Returns the path of the first such member; "" when there is none.
std::string host_reach(const json::Document& object);

/// Forbidden when anybody but the owner would store an object that reaches the host, or change one: who changes the
/// command of a pod template uses all that the template mounts. `before` is null for a new object.
Status check_host_reach(const ResourceRequest& request, const json::Document* before, const json::Document& after);

/// Reports the folders that `after` names and must not. What `before`, which may be null, has in the same place was
/// accepted when it was written, and stays.
std::vector<FieldCause> check_host_folders(const NodePolicy& policy, const json::Document* before,
                                           const json::Document& after);

}  // namespace muster::apiserver
