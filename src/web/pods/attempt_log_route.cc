#include "web/pods/attempt_log_route.h"

#include <fmt/core.h>

#include "apiserver/errors/status_error.h"
#include "apiserver/verbs/pod_log.h"
#include "base/strings.h"

namespace muster::web {
namespace {

Result<node::LogRequest> parse_attempt_request(const apiserver::RoutedRequest& request, Time now) {
  const auto attempt = parse_int(request.at.at("attempt"));
  if (!attempt || *attempt < 0) {
    return apiserver::bad_request(
        fmt::format("attempts: must be a whole number from 0 on, got {}", quote(request.at.at("attempt"))));
  }
  node::LogRequest named;
  named.ns = request.at.at("namespace");
  named.pod = request.at.at("name");
  named.container = request.query.get("container");
  named.attempt = *attempt;
  named.pod_uid = request.query.get("uid");
  return apiserver::parse_log_query(request.query, std::move(named), now);
}

}  // namespace

apiserver::Route attempt_log_route(apiserver::Context& context) {
  const auto handle = [&context](const apiserver::RoutedRequest& request,
                                 const std::shared_ptr<net::Exchange>& exchange) {
    const auto log = parse_attempt_request(request, context.loop.now());
    if (!log) return exchange->respond(apiserver::error_response(log.error()));
    apiserver::send_log(context, *log, exchange);
  };
  return {.pattern = "apis/muster.dev/v1/namespaces/{namespace}/pods/{name}/attempts/{attempt}/log",
          .methods = {"GET"},
          .handle = handle};
}

}  // namespace muster::web
