// ClusterConsole: the console of a Kubernetes cluster, served on this machine. A browser logs in here with a one-time
// link; its requests are forwarded to the cluster with the credentials of the kubeconfig, which never reach the
// browser. What only Muster's own engine has (metrics, files, logs of earlier attempts) is answered with that reason;
// the paths about jobs are the engine's. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apiserver/http/auth.h"
#include "apiserver/http/router.h"
#include "client/api_client.h"
#include "net/event_loop.h"
#include "net/http_server.h"
#include "web/console/console_pages.h"
#include "web/console/console_sessions.h"
#include "web/pages/one_time_links.h"
#include "web/pages/page_access.h"

namespace muster::web {

class ClusterConsole {
 public:
  /// `loop`, `rng` and `cluster` outlive it.
  ClusterConsole(net::EventLoop& loop, Rng& rng, net::Transport& cluster, AssetPack assets, net::SigningKey key);

  using HasAllConnections = std::function<Result<bool>(const std::string& host, int port)>;
  /// Listens on a loopback address; port 0 takes a free one. The function tells whether no other process has
  /// connections at an address.
  Status listen(const std::string& host, int port, HasAllConnections has_all_connections);
  /// Returns a link that logs one browser in.
  std::string make_link() { return pages_.make_link(); }

 private:
  void answer(net::Request request, std::shared_ptr<net::Exchange> exchange);
  void answer_own(net::Request request, const std::shared_ptr<net::Exchange>& exchange);
  void ask_cluster(net::Request request, const std::shared_ptr<net::Exchange>& exchange);

  net::EventLoop& loop_;
  net::Transport& cluster_;
  client::ApiClient client_;
  OneTimeLinks links_;
  ConsoleSessions sessions_;
  PageAccess access_;
  ConsolePages pages_;
  apiserver::Authentication authentication_;
  apiserver::Router router_;
  net::HttpServer http_;
};

}  // namespace muster::web
