// PageBackends: finds the pod behind a page. The page belongs to a TensorBoard or a Notebook, whose programs know their
// prefix, or to a Deployment with the label role=tensorboard, as Arena makes them, whose program serves at /. Loop
// thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/informer.h"
#include "net/event_loop.h"
#include "web/pages/page_name.h"

namespace muster::web {

struct PageBackend {
  std::string pod_uid;
  std::string address;
  int port = 0;
  bool knows_prefix = true;
  std::string authorization;  // the header that the program asks for; "": none
};

class PageBackends {
 public:
  struct Listener {
    std::function<void(const std::string& uid)> on_pod_gone;  // or it got another address
    std::function<void(const std::string& uid)> on_deleted;   // a TensorBoard or Notebook
  };
  PageBackends(net::EventLoop& loop, Rng& rng, client::ApiClient& client, Listener listener);

  void start();
  /// Fails with NotFound when there is no such object, else with the reason why it has no page now.
  Result<PageBackend> find(const PageName& page) const;
  /// The TensorBoard or Notebook of the page; null when there is none.
  std::shared_ptr<const json::Document> object_of(const PageName& page) const;

 private:
  /// The objects of one kind and the pods that serve their pages.
  struct Source {
    const PageKind* kind;
    std::unique_ptr<client::Informer> objects;
    std::unique_ptr<client::Informer> pods;
  };
  const Source& source_of(const PageKind& kind) const;
  Result<PageBackend> find_object(const PageName& page, const json::Document& object) const;
  Result<PageBackend> find_deployment(const PageName& page, const json::Document& deployment) const;
  void on_pod(const json::Document* before, const json::Document* now);

  Listener listener_;
  std::vector<Source> sources_;
  client::Informer notebook_secrets_;
  client::Informer deployments_;      // with role=tensorboard
  client::Informer deployment_pods_;  // the same
};

}  // namespace muster::web
