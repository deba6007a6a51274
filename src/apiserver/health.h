// /livez, /readyz and /healthz: what the server looks at to say that it is well, in the words of a kube-apiserver.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/request.h"
#include "net/http.h"

namespace muster::apiserver {

/// Where a check counts. A restart is what a failing /livez asks for, so only what a restart heals counts there.
enum class HealthScope { kAlive, kHealthy, kReady };

struct HealthCheck {
  std::string name;
  HealthScope scope = HealthScope::kAlive;  // and in those after it
  std::function<Status()> look;
};

/// /readyz, or one check of it, /readyz/NAME; ?verbose tells all of them, ?exclude=NAME leaves one out. Nullopt when
/// the path is none of these.
std::optional<net::Response> answer_health(const std::vector<HealthCheck>& checks, const Target& target);

}  // namespace muster::apiserver
