// ApiServer: the Kubernetes REST API over the store. handle() is the one door: HTTP connections (net/) and the
// in-process client (LocalTransport) both come through it, with the same admission, validation and conflicts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/resource.h"
#include "base/ports.h"
#include "base/time.h"
#include "client/node_api.h"
#include "net/http.h"
#include "store/snapshots.h"
#include "store/store.h"

namespace muster::apiserver {

struct Options {
  std::string token;                            // bearer token that opens everything
  std::vector<std::string> allowed_hosts;       // Host header, without port: against DNS rebinding
  Duration event_life = std::chrono::hours(1);  // of an Event, after its last change
  // Requests under way beyond these numbers are answered 429 at once; watches and logs that follow are counted apart
  // once they stream, health and metrics never.
  std::size_t max_requests = 1024;
  std::size_t max_streams = 2048;
  /// Whether the controllers of this process have seen what there is, for /readyz. Null: there are none.
  std::function<bool()> informers_synced = nullptr;
  /// Whether anything here acts on objects of the kind; who creates one of another kind gets a Warning. Null: on all.
  std::function<bool(const api::Resource&)> is_acted_on = nullptr;
  /// POST /apis/muster.dev/v1/backups: a copy of the database in the engine's own folder. Null: not offered.
  std::function<void(store::Snapshots::Done)> back_up = nullptr;
};

/// What selectors look at, for store::Options::extract.
store::Attributes extract_attributes(std::string_view resource, std::string_view bytes);

class ApiServer {
 public:
  ApiServer(Loop& loop, Rng& rng, store::Store& store, Options options);
  ~ApiServer();

  /// Makes the namespaces that exist from the first start, and begins garbage collection and default accounts.
  void start();
  /// Requests from the network that wait for their answer; streams are not among them.
  std::size_t requests_under_way() const;
  /// Logs come from here; null while there is no node.
  void set_node(client::NodeApi* node);
  void handle(net::Request request, std::shared_ptr<net::Exchange> exchange);
  /// For net::HttpServer, which reads the body of nobody else.
  bool knows_sender(const net::Request& head) const;

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
