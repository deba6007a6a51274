#include "main/operator_probes.h"

#include <fmt/core.h>

#include <algorithm>

namespace muster {

namespace {

net::Response plain(int status, std::string body, const std::string& type = "text/plain; charset=utf-8") {
  return {
      .status = status, .headers = {{"Content-Type", type}, {"Cache-Control", "no-store"}}, .body = std::move(body)};
}

ReadyCheck lease_check(const OperatorState& state) {
  if (state.leads) return {.name = "lease", .problem = "", .detail = "held by this operator"};
  if (!state.lease_problem.empty()) return {.name = "lease", .problem = state.lease_problem};
  if (state.holder.empty()) return {.name = "lease", .problem = "nobody holds it yet"};
  return {.name = "lease", .problem = "", .detail = fmt::format("held by {}; this operator stands by", state.holder)};
}

}  // namespace

std::vector<ReadyCheck> ready_checks(const OperatorState& state) {
  std::vector<ReadyCheck> checks = {{.name = "api-server", .problem = state.server_problem}};
  if (state.elects) checks.push_back(lease_check(state));
  if (state.elects && !state.leads) return checks;
  const bool searches = state.kinds_problem.empty() && !state.has_kinds;
  checks.push_back({.name = "kinds", .problem = searches ? "not read yet" : state.kinds_problem});
  checks.push_back({.name = "caches", .problem = state.is_synced ? "" : "not all objects have been seen yet"});
  return checks;
}

net::Response ready_response(const std::vector<ReadyCheck>& checks) {
  const bool ready = std::ranges::all_of(checks, [](const ReadyCheck& check) { return check.problem.empty(); });
  std::string body;
  for (const ReadyCheck& check : checks) {
    const std::string& said = check.problem.empty() ? check.detail : check.problem;
    body += fmt::format("[{}] {}: {}{}{}\n", check.problem.empty() ? '+' : '-', check.name,
                        check.problem.empty() ? "ok" : "not ok", said.empty() ? "" : ", ", said);
  }
  return plain(ready ? 200 : 503, body + (ready ? "ready\n" : "not ready\n"));
}

net::Response answer_operator(const OperatorPages& pages, const net::Request& request) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  const bool is_known = path == "/healthz" || path == "/readyz" || path == "/metrics";
  if (!is_known) return plain(404, "there are /healthz, /readyz and /metrics\n");
  if (request.method != "GET" && request.method != "HEAD") {
    net::Response refused = plain(405, "only GET is allowed\n");
    refused.headers.set("Allow", "GET, HEAD");
    return refused;
  }
  if (path == "/healthz") return plain(200, "ok\n");
  if (path == "/readyz") return ready_response(ready_checks(pages.state()));
  return plain(200, pages.metrics(), "text/plain; version=0.0.4; charset=utf-8");
}

}  // namespace muster
