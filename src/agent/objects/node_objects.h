// NodeObjects: the objects that concern this node, as the API shows them: its pods, and what pods refer to.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/launch/container_env.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "client/informer.h"

namespace muster::agent {

class NodeObjects {
 public:
  using Cache = client::Informer::Cache;
  using Key = client::Informer::Key;

  /// Each is told of every change, with null for what does not exist.
  struct Handlers {
    client::Informer::OnChange on_pod;
    client::Informer::OnChange on_service;
    client::Informer::OnChange on_claim;
    client::Informer::OnChange on_reference;  // a ConfigMap or a Secret
    client::Informer::OnChange on_namespace;
    std::function<void()> on_ready;  // the first lists are complete
  };
  NodeObjects(Loop& loop, Rng& rng, client::ApiClient& client, const std::string& node_name, Handlers handlers);
  NodeObjects(const NodeObjects&) = delete;
  NodeObjects& operator=(const NodeObjects&) = delete;

  void start();
  bool is_ready() const { return is_ready_; }

  const Cache& pods() const { return pods_.cache(); }
  const Cache& services() const { return services_.cache(); }
  const Cache& claims() const { return claims_.cache(); }
  /// These return null for a pod that does not exist, or not any more.
  std::shared_ptr<const json::Document> find_pod(const std::string& uid) const;
  const Key* key_of(const std::string& uid) const;
  /// What the pods of a namespace can refer to.
  References references_of(const std::string& ns) const;

 private:
  void on_pod(const Key& key, const json::Document* before, const json::Document* now);
  void look_whether_ready();

  Handlers handlers_;
  std::map<std::string, Key> keys_;  // by uid
  bool is_ready_ = false;
  client::Informer pods_;
  client::Informer services_;
  client::Informer claims_;
  client::Informer config_maps_;
  client::Informer secrets_;
  client::Informer namespaces_;
  const std::vector<client::Informer*> all_ = {&pods_, &services_, &claims_, &config_maps_, &secrets_, &namespaces_};
};

}  // namespace muster::agent
