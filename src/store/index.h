// The objects in memory: the committed ones, in key order per resource, and on top of them the writes that are accepted
// but not yet durable. The loop thread owns it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "store/types.h"

namespace muster::store {

/// One version of an object and its place in the database.
struct Slot {
  Entry entry;
  std::int64_t row = 0;
  std::uint64_t checksum = 0;
};

class Index {
 public:
  const Slot* committed(const Key& key) const;
  /// The version that the next write builds on; nullptr when the object is absent or being removed.
  const Slot* latest(const Key& key) const;

  void scan(const std::string& resource, const std::string& ns,
            const std::function<void(const Key&, const Entry&)>& visit) const;
  /// Visits objects from the range's first name on, until `visit` returns false.
  void scan(const Range& range, const std::function<bool(const Key&, const Entry&)>& visit) const;
  std::size_t count(const std::string& resource) const;
  /// Of the namespace's objects in their latest versions; counted with each write, so that asking costs nothing.
  Usage used(const std::string& ns) const;
  /// Of all namespaces that have objects; "" is that of objects without one.
  const std::map<std::string, Usage, std::less<>>& used() const { return used_; }

  /// Accepts a version (nullopt: a removal) that `commit` with the same revision will make visible.
  void accept(const Key& key, Revision revision, std::optional<Slot> slot);
  /// Makes a version (nullopt: a removal) visible to readers. Returns the version it replaces.
  std::optional<Slot> commit(const Key& key, Revision revision, std::optional<Slot> slot);
  /// Discards everything that was accepted but not committed.
  void drop_accepted();

 private:
  struct ByName {
    using is_transparent = void;
    using Ref = std::pair<std::string_view, std::string_view>;
    static Ref ref(const Key& key) { return {key.ns, key.name}; }
    static Ref ref(const Ref& name) { return name; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return ref(a) < ref(b);
    }
  };
  using Objects = std::map<Key, Slot, ByName>;
  struct Accepted {
    Revision revision = 0;
    std::optional<Slot> slot;
  };

  void count_change(const Key& key, const Slot* from, const Slot* to);

  std::unordered_map<std::string, Objects> committed_;  // never iterated: the order would be arbitrary
  std::map<Key, Accepted> accepted_;
  std::map<std::string, Usage, std::less<>> used_;  // of the latest versions, by namespace
};

}  // namespace muster::store
