// /livez, /readyz and /healthz: the checks that make up the health of the server, in the format of a kube-apiserver.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/http/request.h"
#include "net/http.h"

namespace muster::apiserver {

/// Where a check counts. A failing /livez asks for a restart, so only problems that a restart fixes count there.
enum class HealthScope { kAlive, kHealthy, kReady };

struct HealthCheck {
  std::string name;
  HealthScope scope = HealthScope::kAlive;  // and in the scopes after it
  std::function<Status()> look;
};

/// Answers /readyz, or one check of it, /readyz/NAME; ?verbose lists all checks, ?exclude=NAME skips one. Nullopt when
/// the path is none of these.
std::optional<net::Response> answer_health(const std::vector<HealthCheck>& checks, const Target& target);

}  // namespace muster::apiserver
