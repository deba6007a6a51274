#include "agent/objects/node_objects.h"

#include <algorithm>

namespace muster::agent {
namespace {

using client::Informer;
using json::Document;

client::ResourceName core(const char* plural) {
  return {"", "v1", plural};
}

client::ListOptions on_node(const std::string& name) {
  client::ListOptions selector;
  selector.field_selector = "spec.nodeName=" + name;
  return selector;
}

}  // namespace

NodeObjects::NodeObjects(Loop& loop, Rng& rng, client::ApiClient& client, const std::string& node_name,
                         Handlers handlers)
    : handlers_(std::move(handlers)),
      pods_(loop, rng, client, core("pods"), on_node(node_name),
            [this](const Key& key, const Document* before, const Document* now) { on_pod(key, before, now); }),
      services_(loop, rng, client, core("services"), {}, handlers_.on_service),
      claims_(loop, rng, client, core("persistentvolumeclaims"), {}, handlers_.on_claim),
      config_maps_(loop, rng, client, core("configmaps"), {}, handlers_.on_reference),
      secrets_(loop, rng, client, core("secrets"), {}, handlers_.on_reference),
      namespaces_(loop, rng, client, core("namespaces"), {}, handlers_.on_namespace) {}

void NodeObjects::start() {
  for (Informer* informer : all_) {
    informer->start();
    informer->when_synced([this] { look_whether_ready(); });
  }
}

void NodeObjects::look_whether_ready() {
  if (is_ready_ || !std::ranges::all_of(all_, &Informer::synced)) return;
  is_ready_ = true;
  handlers_.on_ready();
}

void NodeObjects::on_pod(const Key& key, const Document* before, const Document* now) {
  const std::string old_uid = before != nullptr ? before->string_at("metadata", "uid") : "";
  const std::string new_uid = now != nullptr ? now->string_at("metadata", "uid") : "";
  if (old_uid != new_uid) keys_.erase(old_uid);
  if (!new_uid.empty()) keys_[new_uid] = key;
  handlers_.on_pod(key, before, now);
}

std::shared_ptr<const Document> NodeObjects::find_pod(const std::string& uid) const {
  const Key* key = key_of(uid);
  return key == nullptr ? nullptr : pods_.find(key->first, key->second);
}

const NodeObjects::Key* NodeObjects::key_of(const std::string& uid) const {
  const auto key = keys_.find(uid);
  return key == keys_.end() ? nullptr : &key->second;
}

References NodeObjects::references_of(const std::string& ns) const {
  return {.config_map = [this, ns](const std::string& name) { return config_maps_.find(ns, name); },
          .secret = [this, ns](const std::string& name) { return secrets_.find(ns, name); },
          .claim = [this, ns](const std::string& name) { return claims_.find(ns, name); }};
}

}  // namespace muster::agent
