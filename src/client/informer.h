// Informer: a live copy of one resource (list, then watch, for ever) with a callback per change.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/api_client.h"

namespace muster::client {

/// Loop thread only. Lists, watches, watches again from the last revision when the stream ends, lists again on Expired;
/// waits 100 ms, doubling to 10 s with jitter, after errors.
class Informer {
 public:
  using Key = std::pair<std::string, std::string>;  // namespace, name
  /// One object. Many large ones are kept as text, about a fifth of the size of a Document, and shared with the server
  /// when that is in this process.
  struct Held {
    std::string version;
    std::string uid;
    std::shared_ptr<const json::Document> document;  // null: there is only the text
    net::Bytes text;
  };
  /// Only text is kept. The list then comes as the first events of the watch, so that at no time all of it is in memory
  /// as Documents, and `on_change` is given `glance` of an object, with its identity; `find` gives all of it.
  struct TextOnly {
    std::vector<std::string> glance;  // paths as in json::Excerpt
  };
  using Cache = std::map<Key, Held>;
  /// `now` is null when the object was deleted; `before` is null when it is new, and when it changed and only text is
  /// kept.
  using OnChange = std::function<void(const Key&, const json::Document* before, const json::Document* now)>;

  Informer(Loop& loop, Rng& rng, ApiClient& client, ResourceName resource, ListOptions selector, OnChange on_change,
           std::optional<TextOnly> text_only = std::nullopt);
  ~Informer();

  void start();
  /// True once the first list is in: decisions before that would be made on a partial view.
  bool synced() const;
  void when_synced(Task task);
  const Cache& cache() const;
  /// Null when absent. Parsed anew each time when only text is kept.
  std::shared_ptr<const json::Document> find(const std::string& ns, const std::string& name) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::client
