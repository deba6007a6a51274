// FakeKubelet: a node named "machine" whose pods do what the test says. A bound pod runs at once unless the test holds
// it; a deleted pod is gone at once.
#pragma once

#include <set>
#include <string>

#include "base/ports.h"
#include "client/api_client.h"
#include "client/informer.h"

namespace muster::control {

class FakeKubelet {
 public:
  FakeKubelet(Loop& loop, Rng& rng, client::ApiClient& client);

  void start() { informer_.start(); }
  /// The pod as last seen; nullptr when it does not exist.
  const json::Document* find(const std::string& ns, const std::string& name) const {
    return informer_.find(ns, name).get();
  }
  const client::Informer& pods() const { return informer_; }
  /// Ends the pod's only container.
  void end(const std::string& ns, const std::string& name, int exit_code);
  /// How often a pod of this name was started, counting all attempts.
  int starts(const std::string& ns, const std::string& name) const;

 private:
  void on_pod(const client::Informer::Key& key, const json::Document* now);
  void write_status(const client::Informer::Key& key, json::Document status);

  client::ApiClient& client_;
  client::Informer informer_;
  std::set<std::string> started_;  // uids
  std::map<client::Informer::Key, int> starts_;
};

}  // namespace muster::control
