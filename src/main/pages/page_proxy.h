// PageProxy: what the content port answers. It finds the pod behind a page, such as /tb/NAMESPACE/NAME/, and passes
// requests on to it. The page belongs to a TensorBoard object, whose program knows its prefix, or to a Deployment with
// the label role=tensorboard, as Arena makes them, whose program serves at /. TensorBoard has no login of its own, so
// PageAccess decides who sees it. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "client/informer.h"
#include "main/pages/find_logs.h"
#include "main/pages/page_access.h"
#include "net/event_loop.h"
#include "net/http_client.h"

namespace muster {

/// The page that a target is part of.
struct PageName {
  std::string ns;
  std::string name;
  std::string path;  // "/tb/NAMESPACE/NAME/"
};
/// Returns nullopt for a target outside of all pages. A page without its last slash is part of the page.
std::optional<PageName> page_of(std::string_view target);

class PageProxy {
 public:
  struct Options {
    Duration idle_after{0};  // of TensorBoards, which end when nobody visits them; 0: visits are not noted
    /// Looks for what the TensorBoard could show. Null: every page is passed on.
    std::function<void(const json::Document& board, OnLogsFound done)> find_logs = nullptr;
  };
  PageProxy(net::EventLoop& loop, Rng& rng, client::ApiClient& client, PageAccess& access, Options options);
  ~PageProxy();

  void start();
  /// For net::HttpServer, which reads the body of nobody else.
  bool knows_sender(const net::Request& head) const;
  void handle(net::Request request, const std::shared_ptr<net::Exchange>& exchange);

 private:
  /// The pod behind a page.
  struct Backend {
    std::string address;
    bool knows_prefix = true;
  };
  /// Fails with the reason why there is none.
  Result<Backend> find_backend(const PageName& page) const;
  Result<Backend> find_board(const PageName& page, const json::Document& board) const;
  Result<Backend> find_deployment(const PageName& page, const json::Document& deployment) const;
  void open_with_link(const PageName& page, std::string_view token, const std::shared_ptr<net::Exchange>& exchange);
  /// Tells the controller that the TensorBoard is in use, now and then.
  void note_visit(const PageName& page, const json::Document& board);
  void pass_on_to(const Backend& backend, const PageName& page, net::Request request,
                  const std::shared_ptr<net::Exchange>& exchange);
  /// TensorBoard's own page says little as long as there is nothing to show.
  void pass_on_when_logged(const Backend& backend, const PageName& page, const json::Document& board,
                           net::Request request, const std::shared_ptr<net::Exchange>& exchange);
  void pass_on(const std::string& address, net::Request request, const std::shared_ptr<net::Exchange>& exchange);
  net::HttpClient& client_of(const std::string& address);
  void on_pod(const json::Document* before, const json::Document* now);

  net::EventLoop& loop_;
  client::ApiClient& client_;
  PageAccess& access_;
  Options options_;
  client::Informer boards_;
  client::Informer pods_;
  client::Informer deployments_;                                     // with role=tensorboard
  client::Informer deployment_pods_;                                 // the same
  std::map<std::string, std::unique_ptr<net::HttpClient>> clients_;  // by the pod's address
  std::set<std::string> being_noted_;                                // paths of pages whose visit is being written
  std::set<std::string> logged_;                                     // uids of TensorBoards that have something to show
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);       // for replies that outlive the proxy
};

}  // namespace muster
