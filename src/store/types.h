// What the store is made of: keys, entries, and the events that changes of them are. Shared by the store's own files
// and by everything that reads from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_function.h"
#include "store/attributes.h"

namespace muster::store {

using Revision = std::uint64_t;
using Bytes = std::shared_ptr<const std::string>;

struct Key {
  std::string resource;  // "pods", "pytorchjobs.kubeflow.org"
  std::string ns;        // "" for cluster scope
  std::string name;
  auto operator<=>(const Key&) const = default;
};

struct Entry {
  Revision revision = 0;
  Bytes bytes;  // the whole object as JSON, resourceVersion included
  std::shared_ptr<const Attributes> attributes;
};

/// What the objects of a namespace take.
struct Usage {
  std::size_t objects = 0;
  std::size_t bytes = 0;  // of the objects as they are stored
  auto operator<=>(const Usage&) const = default;
};

enum class EventType { kAdded, kModified, kDeleted };

struct Event {
  EventType type = EventType::kAdded;
  Key key;
  Entry entry;     // for kDeleted: the last state, with the revision of the deletion
  Entry previous;  // empty for kAdded: selectors turn changes into adds and deletes, and the past can be told
};

/// Part of a resource, in key order.
struct Range {
  std::string resource;
  std::string ns;       // "" for all
  std::string from_ns;  // nothing before this name is visited
  std::string from_name;
};

/// An object ready to be stored.
struct Rendered {
  std::string bytes;
  Attributes attributes;
};
/// Makes the object's bytes once its revision is known: serialised once, here.
using Render = UniqueFunction<Rendered(Revision)>;

/// What the store has done since it was opened, for metrics.
struct Stats {
  std::uint64_t commits = 0;  // transactions made durable
  std::uint64_t writes = 0;   // in those transactions
  std::uint64_t checkpoints = 0;
  std::uint64_t times_full = 0;  // the disk was found full
  bool is_full = false;          // and is so now
};

using WriteDone = UniqueFunction<void(Result<Entry>)>;
using BackupDone = UniqueFunction<void(Result<Revision>)>;

}  // namespace muster::store
