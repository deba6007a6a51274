#include "main/console/cluster_console.h"

#include "apiserver/http/status_error.h"
#include "base/random.h"
#include "main/console/stream_socket.h"
#include "main/pages/content_port.h"
#include "main/pages/forward.h"

namespace muster {
namespace {

const std::vector<std::string> kNames = {"127.0.0.1", "localhost", "::1"};

std::vector<apiserver::Route> routes_of(Loop& loop, net::Transport& cluster, const std::string& origin,
                                        OneTimeLinks& links, ConsoleSessions& sessions) {
  std::vector<apiserver::Route> routes = console_routes([&origin] { return origin; }, links, sessions);
  routes.push_back(stream_route(loop, [&cluster]() -> net::Transport& { return cluster; }));
  return routes;
}

bool is_own(std::string_view target) {
  return target.starts_with("/apis/muster.dev/");
}

/// Not NotFound: the console takes that for an object that has nothing to show yet.
Error only_on_engine() {
  return {.reason = Reason::kMethodNotAllowed,
          .message = "this is a service of Muster's own engine; a Kubernetes cluster does not have it"};
}

}  // namespace

ClusterConsole::ClusterConsole(net::EventLoop& loop, Rng& rng, net::Transport& cluster, AssetPack assets)
    : loop_(loop),
      cluster_(cluster),
      links_(loop, rng),
      sessions_(loop, rng, make_token(rng)),
      access_(loop, rng, {.owner_token = make_token(rng), .key = make_token(rng), .allowed_hosts = kNames}),
      pages_(std::move(assets), access_, links_, sessions_),
      authentication_{.owner_token = make_token(rng),
                      .allowed_hosts = kNames,
                      .is_owners = [this](std::string_view token) { return sessions_.is_open(token); }},
      router_(routes_of(loop, cluster, origin_, links_, sessions_)),
      http_(
          loop, {},
          [this](net::Request request, std::shared_ptr<net::Exchange> exchange) {
            answer(std::move(request), std::move(exchange));
          },
          net::ServerLimits{},
          [this](const net::Request& head) { return apiserver::knows_sender(head, authentication_); }) {}

Status ClusterConsole::listen(const std::string& host, int port) {
  TRY_ASSIGN(const int listening, http_.listen(host, port));
  origin_ = browser_url(host, host, listening);
  return ok();
}

std::string ClusterConsole::make_link() {
  return console_link(origin_, links_);
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

}  // namespace muster
