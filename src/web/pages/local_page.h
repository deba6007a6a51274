// LocalPage: a page that a far API server passes on, on a loopback port of this machine. A browser opens it with a
// one-time link; its requests are forwarded to the server under the same path, with the credentials of the kubeconfig,
// which never reach the browser. Nothing else of the server can be reached here. Loop thread only.
#pragma once

#include <memory>
#include <string>

#include "net/event_loop.h"
#include "net/http_server.h"
#include "web/pages/page_access.h"

namespace muster::web {

class LocalPage {
 public:
  /// `path` is that of the page, with its last slash. `loop`, `rng` and `server` outlive it.
  LocalPage(net::EventLoop& loop, Rng& rng, net::Transport& server, std::string path);

  /// Port 0 takes a free one.
  Status listen(int port);
  /// Returns a link that opens the page in one browser.
  std::string make_link();

 private:
  void answer(net::Request request, const std::shared_ptr<net::Exchange>& exchange);

  net::EventLoop& loop_;
  net::Transport& server_;
  std::string path_;
  std::string origin_;
  PageAccess access_;
  net::HttpServer http_;
};

}  // namespace muster::web
