// ApiServer: the Kubernetes REST API over the store. handle() is the one door: HTTP connections (net/) and the
// in-process client (LocalTransport) both come through it, with the same admission, validation and conflicts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/resource.h"
#include "apiserver/access/account_tokens.h"
#include "apiserver/context/context.h"
#include "apiserver/http/router.h"
#include "base/ports.h"
#include "base/time.h"
#include "net/http.h"
#include "node/metrics_api.h"
#include "node/node_api.h"
#include "store/store.h"

namespace muster::apiserver {

struct Options {
  std::string token;  // the owner's bearer token
  /// Whether a token is another one of the owner's, such as that of a browser. Null: there are none.
  std::function<bool(std::string_view token)> is_owners_token = nullptr;
  std::string account_key;                      // signs the tokens of service accounts; "": there are none
  std::vector<std::string> allowed_hosts;       // accepted Host headers, without port: against DNS rebinding
  Duration event_life = std::chrono::hours(1);  // how long an Event is kept after its last change
  // Requests in progress beyond these limits get 429 at once. Watches and followed logs count separately once they
  // stream; health and metrics never count.
  std::size_t max_requests = 1024;
  std::size_t max_streams = 2048;
  /// Whether the controllers of this process have filled their caches, for /readyz. Null: there are no controllers.
  std::function<bool()> informers_synced = nullptr;
  /// Whether a controller here acts on objects of the kind; creating one of another kind gives a Warning. Null: all.
  std::function<bool(const api::Resource&)> is_acted_on = nullptr;
  /// What pods may ask for here. Absent: anything that is valid, because no pods run here.
  std::optional<NodePolicy> node_policy = std::nullopt;
  NamespaceLimits namespace_limits = {};
};

class ApiServer {
 public:
  ApiServer(Loop& loop, Rng& rng, store::Store& store, Options options);
  ~ApiServer();

  /// Adds paths that other modules answer, before the first request for one of them. What their handlers use outlives
  /// the server's requests.
  void add_routes(std::vector<Route> routes);
  /// What the handlers of such paths share with those of the server. It lives as long as the server.
  Context& context();
  /// Creates the namespaces that exist from the first start, and starts garbage collection and default accounts.
  void start();
  /// Returns true once the namespaces and the queue that a new server begins with can be read.
  bool is_set_up() const;
  /// Requests from the network that have no response yet; streams do not count.
  std::size_t requests_under_way() const;
  /// Sets the node that pod logs are read from; null while there is none.
  void set_node(node::NodeApi* node);
  /// Sets what measures pods and nodes; null while nothing does.
  void set_metrics(node::MetricsApi* metrics);
  void handle(net::Request request, std::shared_ptr<net::Exchange> exchange);
  /// For net::HttpServer, which reads the body of nobody else.
  bool knows_sender(const net::Request& head) const;
  bool streams_body(const net::Request& head) const;
  /// Makes the token with which the containers of a pod use this server. NotFound when its account does not exist.
  Result<PodToken> issue_pod_token(const json::Document& pod) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Calls into the server of this process as if over HTTP, without a socket. Trusted: no token needed.
class LocalTransport final : public net::Transport {
 public:
  LocalTransport(Loop& loop, ApiServer& server) : loop_(loop), server_(server) {}
  std::unique_ptr<net::Call> send(net::Request request, net::ResponseSink sink) override;

 private:
  Loop& loop_;
  ApiServer& server_;
};

}  // namespace muster::apiserver
