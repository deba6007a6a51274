#include "web/console/cluster_console.h"

#include "apiserver/errors/status_error.h"
#include "base/random.h"
#include "web/console/stream_socket.h"
#include "web/jobs/job_log_route.h"
#include "web/jobs/job_pods_route.h"
#include "web/jobs/job_verb_routes.h"
#include "web/jobs/newest_jobs.h"
#include "web/pages/content_port.h"
#include "web/pages/forward.h"

namespace muster::web {
namespace {

const std::vector<std::string> kNames = {"127.0.0.1", "localhost", "::1"};

bool is_own(std::string_view target) {
  return target.starts_with("/apis/muster.dev/");
}

/// Not NotFound: the console takes that for an object that has nothing to show yet.
Error only_on_engine() {
  return {.reason = Reason::kMethodNotAllowed,
          .message = "this is a service of Muster's own engine; a Kubernetes cluster does not have it"};
}

}  // namespace

ClusterConsole::ClusterConsole(net::EventLoop& loop, Rng& rng, net::Transport& cluster, AssetPack assets,
                               net::SigningKey key)
    : loop_(loop),
      cluster_(cluster),
      client_(cluster, ""),
      links_(loop, rng),
      sessions_(loop, rng, make_token(rng)),
      access_(loop, rng, {.owner_token = make_token(rng), .key = make_token(rng), .allowed_hosts = kNames}),
      pages_(std::move(assets), access_, links_, sessions_, std::move(key)),
      authentication_{.owner_token = make_token(rng),
                      .allowed_hosts = kNames,
                      .is_owners = [this](std::string_view token) { return sessions_.is_open(token); }},
      http_(
          loop, {},
          [this](net::Request request, std::shared_ptr<net::Exchange> exchange) {
            answer(std::move(request), std::move(exchange));
          },
          net::ServerLimits{},
          [this](const net::Request& head) { return apiserver::knows_sender(head, authentication_); }) {}

Status ClusterConsole::listen(const std::string& host, int port, HasAllConnections has_all_connections) {
  TRY_ASSIGN(const int listening, http_.listen(host, port));
  pages_.serve_at({loopback_url(listening)},
                  [host, listening, has_all = std::move(has_all_connections)] { return has_all(host, listening); });
  router_.add(console_routes(pages_, sessions_));
  router_.add(
      {stream_route(loop_, cluster_), job_log_route(loop_, client_, nullptr), job_pods_route(client_, nullptr)});
  router_.add(newest_jobs_routes(client_));
  router_.add(job_verb_routes(cluster_, ActsAs::kTransport));
  return ok();
}

void ClusterConsole::answer(net::Request request, std::shared_ptr<net::Exchange> exchange) {
  if (ConsolePages::serves(request)) return exchange->respond(pages_.answer(request));
  const auto who = apiserver::authenticate(request, authentication_);
  if (!who) return exchange->respond(apiserver::error_response(who.error()));
  if (!who->is_owner()) {
    return exchange->respond(apiserver::error_response({.reason = Reason::kUnauthorized, .message = "Unauthorized"}));
  }
  is_own(request.target) ? answer_own(std::move(request), exchange) : ask_cluster(std::move(request), exchange);
}

void ClusterConsole::answer_own(net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
  auto target = apiserver::parse_target(request.target);
  if (!target) return exchange->respond(apiserver::error_response(target.error()));
  auto found = router_.find(request.method, target->path);
  if (!found) return exchange->respond(apiserver::error_response(found.error()));
  if (!*found) return exchange->respond(apiserver::error_response(only_on_engine()));
  (*found)->route->handle({.http = std::move(request), .query = std::move(target->query), .at = (*found)->at},
                          exchange);
}

void ClusterConsole::ask_cluster(net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
  request.headers = passed_on_to_api(request.headers);
  forward(loop_, cluster_, std::move(request), exchange, {.on_unreachable = [](net::Exchange& to, const Error& error) {
            to.respond(apiserver::error_response(
                {.reason = Reason::kServiceUnavailable, .message = "the cluster does not answer: " + error.message}));
          }});
}

}  // namespace muster::web
