// Authorization: who may do what, decided by one table (authorize.cc) for every request, and for the reviews by which
// clients ask about themselves. Pure.
//
// The table knows verbs, resources, namespaces and names. What an object may contain also depends on its sender; that
// is checked where the object is complete (admission/host_reach.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/principal.h"
#include "base/result.h"

namespace muster::apiserver {

/// What a request would do: a verb on a resource, or on a path that is not a resource.
struct Action {
  std::string verb;  // as in discovery; for a path, the HTTP method in lower case
  std::string path = {};
  // Empty when `path` is set.
  std::string group = {};
  std::string resource = {};
  std::string subresource = {};
  std::string ns = {};  // "" for cluster scope and for all namespaces
  std::string name = {};
};

/// The action of a request for a path that is not a resource; `target` may have a query.
Action action_at(std::string_view method, std::string_view target);

bool may(const Principal& principal, const Action& action);
/// Forbidden, in Kubernetes' words, unless the principal may do this.
Status check_access(const Principal& principal, const Action& action);

/// The paths that the principal may read, as patterns: "/version", "/apis/*".
std::vector<std::string> readable_paths(const Principal& principal);

}  // namespace muster::apiserver
