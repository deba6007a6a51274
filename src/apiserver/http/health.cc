#include "apiserver/http/health.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "apiserver/http/reply.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

std::optional<HealthScope> scope_of(std::string_view endpoint) {
  if (endpoint == "livez") return HealthScope::kAlive;
  if (endpoint == "healthz") return HealthScope::kHealthy;
  if (endpoint == "readyz") return HealthScope::kReady;
  return std::nullopt;
}

net::Response failed(std::string text) {
  net::Response response = text_response(std::move(text));
  response.status = 500;
  return response;
}

net::Response answer_one(const HealthCheck& check) {
  const Status found = check.look();
  return found ? text_response("ok") : failed("internal server error: " + found.error().message + "\n");
}

net::Response answer_all(const std::vector<HealthCheck>& checks, const std::string& endpoint, const Query& query) {
  const std::vector<std::string> named = query.all("exclude");
  std::set<std::string> excluded(named.begin(), named.end());
  std::string text;
  bool passed = true;
  for (const HealthCheck& check : checks) {
    if (check.scope > *scope_of(endpoint)) continue;
    if (excluded.erase(check.name) > 0) {
      text += fmt::format("[+]{} excluded: ok\n", check.name);
    } else if (check.look()) {
      text += fmt::format("[+]{} ok\n", check.name);
    } else {
      // Anyone may read this path, so the reason is shown only at the path of the check itself.
      text += fmt::format("[-]{} failed: reason withheld\n", check.name);
      passed = false;
    }
  }
  if (!excluded.empty()) {
    std::vector<std::string> unknown;
    for (const std::string& name : excluded) unknown.push_back(quote(name));
    text += fmt::format("warn: some health checks cannot be excluded: no matches for {}\n", join(unknown, ","));
  }
  if (!passed) return failed(text + endpoint + " check failed\n");
  return text_response(query.has("verbose") ? text + endpoint + " check passed\n" : "ok");
}

}  // namespace

std::optional<net::Response> answer_health(const std::vector<HealthCheck>& checks, const Target& target) {
  const std::vector<std::string>& path = target.path;
  const auto scope = path.empty() ? std::nullopt : scope_of(path[0]);
  if (!scope) return std::nullopt;
  if (path.size() == 1) return answer_all(checks, path[0], target.query);
  const std::string name = join({path.begin() + 1, path.end()}, "/");
  const auto found = std::ranges::find(checks, name, &HealthCheck::name);
  if (found == checks.end() || found->scope > *scope) return std::nullopt;
  return answer_one(*found);
}

}  // namespace muster::apiserver
