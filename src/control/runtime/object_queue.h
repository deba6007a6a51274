// The objects that controllers look at, by their names.
#pragma once

#include <string>
#include <unordered_map>

#include "base/work_queue.h"

namespace muster::control {

struct ObjectKey {
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;
  bool operator==(const ObjectKey&) const = default;
};

struct ObjectKeyHash {
  std::size_t operator()(const ObjectKey& key) const {
    const std::hash<std::string> hash;
    return (hash(key.name) * 31 + hash(key.ns)) * 31 + hash(key.kind);
  }
};

/// Has an entry for every primary and is looked up at every change; it is never iterated where the order would matter.
template <typename Value>
using ByObject = std::unordered_map<ObjectKey, Value, ObjectKeyHash>;

using ObjectQueue = WorkQueue<ObjectKey, ObjectKeyHash>;
/// Enough runs to fill group commits, few enough that one burst does not block the loop.
inline constexpr WorkLimits kObjectLimits{.running = 32};

}  // namespace muster::control
