// PodCollector: the effects of control/collector, on an engine that has no kube-controller-manager to do the same.
#pragma once

#include <memory>
#include <optional>

#include "base/lifetime.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "control/collector/collect.h"
#include "control/runtime/object_queue.h"
#include "control/runtime/shared_informers.h"

namespace muster::control {

class PodCollector {
 public:
  PodCollector(Loop& loop, client::ApiClient& client, SharedInformers& informers);
  PodCollector(const PodCollector&) = delete;
  PodCollector& operator=(const PodCollector&) = delete;

  /// Starts the work. All that is watched must be in view.
  void open() { queue_.open(); }

 private:
  void on_pod(const AnyObject& before, const AnyObject& now);
  void on_node(const AnyObject& before, const AnyObject& now);
  /// Queues the pod if it may be without an agent.
  void consider(const api::Pod& pod);
  bool is_missing(const std::string& node) const;
  /// Returns how long the pod's node has been missing, as far as this process has seen; absent: it is not.
  std::optional<Duration> missing_for(const ObjectKey& key, const api::Pod& pod);
  void work(const ObjectKey& key);
  void write_status(const ObjectKey& key, const api::Pod& pod, const json::Document& status);
  void remove(const ObjectKey& key, const std::string& uid);
  void try_again(const ObjectKey& key, const Error& error);

  Loop& loop_;
  client::ApiClient& client_;
  ObjectQueue queue_;
  std::size_t node_count_ = 0;
  ByObject<MonoTime> missing_since_;  // when a pod's node was first missed
  const ObjectIndex& pods_;
  const ObjectIndex& nodes_;
  Lifetime lifetime_;
};

}  // namespace muster::control
