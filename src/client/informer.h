// Informer: a live copy of one resource (list, then watch, for ever) with a callback per change.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "client/api_client.h"

namespace muster::client {

/// Loop thread only. Lists, watches, watches again from the last revision when the stream ends, lists again on Expired;
/// waits 100 ms, doubling to 10 s with jitter, after errors.
class Informer {
 public:
  using Key = std::pair<std::string, std::string>;  // namespace, name
  using Cache = std::map<Key, std::shared_ptr<const json::Document>>;
  /// `now` is null when the object was deleted; `before` is null when it is new.
  using OnChange = std::function<void(const Key&, const json::Document* before, const json::Document* now)>;

  Informer(Loop& loop, Rng& rng, ApiClient& client, ResourceName resource, ListOptions selector, OnChange on_change);
  ~Informer();

  void start();
  /// True once the first list is in: decisions before that would be made on a partial view.
  bool synced() const;
  void when_synced(Task task);
  const Cache& cache() const;
  const json::Document* find(const std::string& ns, const std::string& name) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::client
