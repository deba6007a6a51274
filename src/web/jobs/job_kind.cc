#include "web/jobs/job_kind.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "client/api_client.h"

namespace muster::web {

Result<const api::Resource*> find_job_kind(const std::string& qualified_name) {
  for (const api::Resource& resource : api::resources()) {
    if (!resource.is_storage || resource.qualified_name() != qualified_name) continue;
    if (!resource.pod_label.empty()) return &resource;
    return Error{.reason = Reason::kNotFound, .message = fmt::format("{} is not a kind of job", resource.kind)};
  }
  return Error{.reason = Reason::kNotFound, .message = fmt::format("there is no kind {}", quote(qualified_name))};
}

void respond_json(net::Exchange& exchange, int status, const json::Document& body) {
  net::Response response{.status = status, .headers = {}, .body = json::serialize(body)};
  response.headers.set("Content-Type", "application/json");
  response.headers.set("Cache-Control", "no-store");
  exchange.respond(std::move(response));
}

void respond_error(net::Exchange& exchange, const Error& error) {
  const json::Document status = client::status_from_error(error);
  respond_json(exchange, static_cast<int>(status.int_at("code")), status);
}

}  // namespace muster::web
