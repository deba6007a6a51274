// Checks the probes and lifecycle hooks of a container.
#include "api/rules/check_pod_parts.h"

namespace muster::api {
namespace {

using json::Document;
using reflect::Place;

void check_handler(const Document& handler, const Place& place, Findings& found) {
  int given = 0;
  for (const char* key : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    const Document* action = handler.find(key);
    if (action == nullptr) continue;
    const Place at = place.member(key);
    if (++given > 1) {
      found.forbidden(at, "may not specify more than 1 handler type");
      continue;
    }
    const std::string_view kind = key;
    if (kind == "exec" && action->array_at("command").empty()) found.required(at.member("command"));
    if (kind == "httpGet") found.one_of(*action, "scheme", at, {"HTTP", "HTTPS"});
    if (kind != "exec" && kind != "sleep") found.port(*action, "port", at);
    // Otherwise a pod could send the engine to addresses that the pod itself cannot reach.
    if (!action->string_at("host").empty())
      found.forbidden(at.member("host"), "it is the pod's own address; remove it");
  }
  if (given == 0) found.required(place, "must specify a handler type");
}

void check_probe(const Document& probe, const Place& at, Findings& found) {
  check_handler(probe, at, found);
  for (const char* key :
       {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"}) {
    found.not_negative(probe, key, at);
  }
  const Document* grace = probe.find("terminationGracePeriodSeconds");
  if (grace != nullptr && grace->is_int() && grace->as_int() <= 0) {
    found.invalid(at.member("terminationGracePeriodSeconds"), *grace, "must be greater than 0");
  }
}

}  // namespace

void check_probes(const Document& container, ContainerRole role, const Place& place, Findings& found) {
  const bool runs_once = role == ContainerRole::kInit && container.string_at("restartPolicy") != "Always";
  for (const char* key : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
    const Document* asked = container.find(key);
    if (asked == nullptr) continue;
    const Place at = place.member(key);
    const std::string_view kind = key;
    if (runs_once) {
      found.forbidden(at, "may not be set for init containers without restartPolicy=Always");
    } else if (kind == "lifecycle") {
      for (const char* moment : {"postStart", "preStop"}) {
        if (const Document* handler = asked->find(moment)) check_handler(*handler, at.member(moment), found);
      }
    } else {
      check_probe(*asked, at, found);
      const std::int64_t successes = asked->int_at("successThreshold");
      if (kind != "readinessProbe" && successes != 1 && successes != 0) {
        found.invalid(at.member("successThreshold"), successes, "must be 1");
      }
    }
  }
}

}  // namespace muster::api
