// Informer: a live copy of one resource (list, then watch, forever) with a callback for each change.
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

/// Loop thread only. It lists and watches. When a watch ends, it watches again from the last revision; on Expired it
/// lists again. After an error it waits 100 ms, doubling up to 10 s, with jitter.
class Informer {
 public:
  using Key = std::pair<std::string, std::string>;  // namespace, name
  /// One object. It can be kept as text, which takes about a fifth of the memory of a Document and is shared with a
  /// server in this process.
  struct Held {
    std::string version;
    std::string uid;
    std::shared_ptr<const json::Document> document;  // null: only the text is kept
    net::Bytes text;
  };
  /// Keeps only text. The list then arrives as initial events of the watch, so that it is never in memory as Documents
  /// as a whole. `on_change` gets the members in `glance` and the identity of an object; `find` returns all of it.
  struct TextOnly {
    std::vector<std::string> glance;  // paths as in json::Excerpt
  };
  using Cache = std::map<Key, Held>;
  /// `now` is null when the object was deleted. `before` is null when the object is new, or when it changed and only
  /// text is kept.
  using OnChange = std::function<void(const Key&, const json::Document* before, const json::Document* now)>;

  /// `ns` limits it to a namespace; "" means all of them.
  Informer(Loop& loop, Rng& rng, ApiClient& client, ResourceName resource, ListOptions selector, OnChange on_change,
           std::optional<TextOnly> text_only = std::nullopt, std::string ns = "");
  ~Informer();

  void start();
  /// True once the first list is complete; decisions made earlier would rest on a partial view.
  bool synced() const;
  void when_synced(Task task);
  const Cache& cache() const;
  /// Returns null when absent. If only text is kept, every call parses it.
  std::shared_ptr<const json::Document> find(const std::string& ns, const std::string& name) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::client
