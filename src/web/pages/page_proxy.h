// PageProxy: what the content port answers. It passes requests for a page, such as /tb/NAMESPACE/NAME/, on to the
// program in the pod behind it. TensorBoard has no login, and JupyterLab's is a token that only this proxy holds; so
// PageAccess decides who sees a page. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/lifetime.h"
#include "net/event_loop.h"
#include "node/node_api.h"
#include "web/pages/find_logs.h"
#include "web/pages/page_access.h"
#include "web/pages/page_backends.h"
#include "web/pages/page_transfer.h"

namespace muster::web {

class PageProxy {
 public:
  struct Options {
    /// Returns the uid of the object that has the page; "" when there is none.
    std::function<std::string(const PageName& page)> uid_of;
    Duration idle_after{0};  // of TensorBoards, which end when nobody visits them; 0: visits are not noted
    /// How to connect to a pod, by its uid. Null: as from this machine, to whatever listens.
    std::function<node::PodSockets(const std::string& pod_uid)> sockets_of = nullptr;
    /// Looks for what the TensorBoard could show. Null: every page is passed on.
    std::function<void(const json::Document& board, OnLogsFound done)> find_logs = nullptr;
  };
  PageProxy(net::EventLoop& loop, Rng& rng, client::ApiClient& client, PageAccess& access, Options options);

  void start() { backends_.start(); }
  PageSubject subject_of(const PageName& page) const { return {.path = page.path, .uid = options_.uid_of(page)}; }
  /// For net::HttpServer, which reads the body of nobody else.
  bool knows_sender(const net::Request& head) const;
  /// For net::HttpServer: whether the body is passed on piece by piece.
  static bool streams_body(const net::Request& head);
  void handle(net::Request request, const std::shared_ptr<net::Exchange>& exchange);
  /// Answers a request for a target below page.path, whose sender may see the page.
  void show(const PageName& page, net::Request request, const std::shared_ptr<net::Exchange>& exchange);

 private:
  /// Tells the controller that the TensorBoard is in use, now and then.
  void note_visit(const PageName& page, const json::Document& board);
  void pass_on_to(const PageBackend& backend, const PageName& page, net::Request request,
                  const std::shared_ptr<net::Exchange>& exchange);
  /// TensorBoard's own page says little as long as there is nothing to show.
  void pass_on_when_logged(const PageBackend& backend, const PageName& page, const json::Document& board,
                           net::Request request, const std::shared_ptr<net::Exchange>& exchange);
  std::shared_ptr<PageUpstream> upstream_of(const PageBackend& backend);

  net::EventLoop& loop_;
  client::ApiClient& client_;
  PageAccess& access_;
  Options options_;
  PageBackends backends_;
  std::map<std::string, std::shared_ptr<PageUpstream>> upstreams_;  // by uid of the pod
  std::set<std::string> being_noted_;                               // paths of pages whose visit is being written
  std::set<std::string> logged_;                                    // uids of TensorBoards that have something to show
  Lifetime lifetime_;
};

}  // namespace muster::web
