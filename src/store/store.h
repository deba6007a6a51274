// The store: every object of the engine, durable in SQLite, served from memory.
//
// It knows keys, revisions and bytes, not kinds. The loop thread owns everything here; one writer thread commits, in
// groups (all writes that arrived while the last commit ran form the next one), and posts the outcome back. A write has
// a revision as soon as it is accepted and is seen by later writes at once (`latest`), but readers and watchers see it
// only after it is durable. An I/O error on commit has an unknown outcome, so it is fail-stop: on_fatal is called once
// and nothing is ever acknowledged again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ports.h"
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

class Disk;

struct Options {
  std::string directory;  // holds muster.db and its WAL, `revision` (the high-water mark), `ballast` and `lock`
  /// For objects read from the disk, on any thread; those that are written bring their attributes along.
  std::function<Attributes(std::string_view resource, std::string_view bytes)> extract;
  std::function<void(const Error&)> on_fatal;
  bool accept_data_loss = false;  // serve although the high-water mark says that a tail is missing
  std::size_t history_events = 100'000;
  std::size_t history_bytes = 8u << 20;
  Duration history_age = std::chrono::minutes(10);  // older events go, but not
  std::size_t history_events_of_any_age = 10'000;   // the last ones
  std::size_t max_bytes = 0;                        // quota of the database; 0: what the disk holds
  std::size_t ballast_bytes = 8u << 20;  // given up when the disk is full, so that deletes still work; 0: none
  int checkpoint_pages = 1000;           // pages of 4 KiB in the WAL before they are moved into the database
  Disk* disk = nullptr;                  // null: the real one
};

/// What the store has done since it was opened, for metrics.
struct Stats {
  std::uint64_t commits = 0;  // transactions made durable
  std::uint64_t writes = 0;   // in those transactions
  std::uint64_t checkpoints = 0;
  std::uint64_t times_full = 0;  // the disk was found full
  bool is_full = false;          // and is so now
};

class Store {
 public:
  /// Takes the lock, opens and checks everything. Errors: another engine holds the directory (Conflict), a row whose
  /// checksum is wrong is quarantined and named in `problems()`, a missing tail refuses (unless accepted).
  static Result<std::unique_ptr<Store>> open(Loop& loop, Options options);
  virtual ~Store() = default;  // closes; not to be called from a callback of the store's own

  // ---- committed state: what readers see ----
  /// Of the last committed write; 1 in a new directory, so that no list has resourceVersion "0".
  virtual Revision revision() const = 0;
  virtual const Entry* get(const Key& key) const = 0;
  /// All of a resource in key order; ns "" means every namespace. The callback must not write.
  virtual void scan(const std::string& resource, const std::string& ns,
                    const std::function<void(const Key&, const Entry&)>& visit) const = 0;
  virtual std::size_t count(const std::string& resource) const = 0;
  /// What `scan` saw when `at` was the committed revision, from a name on, until `visit` says false. The work is in
  /// what is visited and in the changes since `at`. Expired when history does not reach back that far.
  virtual Status scan_at(const Range& range, Revision at,
                         const std::function<bool(const Key&, const Entry&)>& visit) const = 0;
  virtual std::vector<std::string> problems() const = 0;
  virtual Stats stats() const = 0;

  // ---- writes ----
  /// Committed or not: what the next write builds on. Null when absent.
  virtual const Entry* latest(const Key& key) const = 0;
  /// Exactly one callback, on the loop, after the commit is durable.
  using Done = UniqueFunction<void(Result<Entry>)>;
  /// `expected` 0: must not exist (AlreadyExists); otherwise the revision of `latest` (Conflict, NotFound). A failed
  /// precondition is told through the callback too, as is StorageFull: while the disk is full only deletes, and updates
  /// that hardly grow the object, are taken. TooManyRequests when too much is under way.
  virtual void put(const Key& key, Revision expected, Render render, Done done) = 0;
  /// The entry given back is the last state with the revision of the deletion. `expected` is never 0 here.
  virtual void remove(const Key& key, Revision expected, Render render_final, Done done) = 0;

  // ---- watches ----
  using Id = std::uint64_t;
  using OnEvent = std::function<void(const std::shared_ptr<const Event>&)>;
  /// Every event of the resource after `after`, in order: history first (delivered before this returns), then live.
  /// Expired when history no longer reaches back that far; namespaces and selectors are the caller's.
  virtual Result<Id> watch(const std::string& resource, Revision after, OnEvent on_event) = 0;
  /// Only what history has.
  virtual Status replay(const std::string& resource, Revision after, const OnEvent& on_event) = 0;
  virtual void unwatch(Id id) = 0;

  // ---- copies ----
  using BackupDone = UniqueFunction<void(Result<Revision>)>;
  /// The whole database as one checked, durable file at `path` (in a folder that exists), made in small steps between
  /// writes; it holds at least everything acknowledged before the call. Exactly one callback, on the loop, with the
  /// copy's revision. Copies that are asked for meanwhile wait their turn.
  virtual void back_up(const std::string& path, BackupDone done) = 0;

  /// Waits for what was accepted, checkpoints, releases the lock. Called once, at an orderly end.
  virtual void close() = 0;
};

}  // namespace muster::store
