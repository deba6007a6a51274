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
#include <vector>

#include "base/ports.h"
#include "base/result.h"
#include "store/files.h"
#include "store/history.h"
#include "store/index.h"
#include "store/types.h"
#include "store/writer.h"

namespace muster::store {

struct Loaded;

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

class Store {
 public:
  /// Takes the lock, opens and checks everything. Errors: another engine holds the directory (Conflict), a row whose
  /// checksum is wrong is quarantined and named in `problems()`, a missing tail refuses (unless accepted).
  static Result<std::unique_ptr<Store>> open(Loop& loop, Options options);
  ~Store();  // closes; not to be called from a callback of the store's own
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // ---- committed state: what readers see ----
  /// Of the last committed write; 1 in a new directory, so that no list has resourceVersion "0".
  Revision revision() const { return revision_; }
  const Entry* get(const Key& key) const { return entry_of(index_.committed(key)); }
  /// All of a resource in key order; ns "" means every namespace. The callback must not write.
  void scan(const std::string& resource, const std::string& ns,
            const std::function<void(const Key&, const Entry&)>& visit) const {
    index_.scan(resource, ns, visit);
  }
  std::size_t count(const std::string& resource) const { return index_.count(resource); }
  /// What the objects of a namespace take, with writes that are not committed yet.
  Usage used(const std::string& ns) const { return index_.used(ns); }
  const std::map<std::string, Usage, std::less<>>& used() const { return index_.used(); }
  /// What `scan` saw when `at` was the committed revision, from a name on, until `visit` says false. The work is in
  /// what is visited and in the changes since `at`. Expired when history does not reach back that far.
  Status scan_at(const Range& range, Revision at, const std::function<bool(const Key&, const Entry&)>& visit) const;
  const std::vector<std::string>& problems() const { return problems_; }
  const Stats& stats() const { return stats_; }
  /// Accepted writes of which the outcome is not known yet.
  std::size_t pending_writes() const { return pending_writes_; }

  // ---- writes ----
  /// Committed or not: what the next write builds on. Null when absent.
  const Entry* latest(const Key& key) const { return entry_of(index_.latest(key)); }
  /// Exactly one callback, on the loop, after the commit is durable.
  using Done = WriteDone;
  /// `expected` 0: must not exist (AlreadyExists); otherwise the revision of `latest` (Conflict, NotFound). A failed
  /// precondition is told through the callback too, as is StorageFull: while the disk is full only deletes, and updates
  /// that hardly grow the object, are taken. TooManyRequests when too much is under way.
  void put(const Key& key, Revision expected, Render render, Done done);
  /// The entry given back is the last state with the revision of the deletion. `expected` is never 0 here.
  void remove(const Key& key, Revision expected, Render render_final, Done done);

  // ---- watches ----
  using Id = std::uint64_t;
  using OnEvent = std::function<void(const std::shared_ptr<const Event>&)>;
  /// Every event of the resource after `after`, in order: history first (delivered before this returns), then live.
  /// Expired when history no longer reaches back that far; namespaces and selectors are the caller's.
  Result<Id> watch(const std::string& resource, Revision after, OnEvent on_event);
  /// Only what history has, until `visit` says false.
  Status replay(const std::string& resource, Revision after,
                const std::function<bool(const std::shared_ptr<const Event>&)>& visit);
  void unwatch(Id id);

  // ---- copies ----
  /// The whole database as one checked, durable file at `path` (in a folder that exists), made in small steps between
  /// writes; it holds at least everything acknowledged before the call. Exactly one callback, on the loop, with the
  /// copy's revision. Copies that are asked for meanwhile wait their turn.
  void back_up(const std::string& path, BackupDone done);

  /// Waits for what was accepted, checkpoints, releases the lock. Called once, at an orderly end.
  void close();

 private:
  Store(Loop& loop, Options options, DirectoryLock lock, Loaded loaded, Writer::Parts parts);

  struct Watcher {
    Revision seen = 0;  // delivered up to here, or asked to start after it
    OnEvent on_event;
  };
  using Watchers = std::map<Id, std::shared_ptr<Watcher>>;

  static const Entry* entry_of(const Slot* slot) { return slot == nullptr ? nullptr : &slot->entry; }
  static void receive(Store* store, Completion completion);

  std::optional<Error> refuse(const Key& key) const;
  std::optional<Error> check_expected(const Key& key, const Slot* base, Revision expected) const;
  void answer(Done done, Error error);
  Write begin_write(const Key& key, const Slot* base, Done done);
  void accept(Write write, std::optional<Slot> slot);
  void apply(Completion completion);
  void publish(const Write& write);
  void fan_out(const std::shared_ptr<const Event>& event);

  Loop& loop_;
  const Options options_;
  DirectoryLock lock_;
  Index index_;
  std::vector<std::string> problems_;
  Revision revision_;  // of the last committed write
  Revision assigned_;  // of the last accepted write
  std::int64_t last_row_;
  Stats stats_;
  std::uint64_t generation_ = 0;  // grows each time accepted writes are thrown away because the disk is full
  std::size_t pending_writes_ = 0;
  std::size_t pending_bytes_ = 0;
  std::optional<Error> ended_;  // set when nothing can be written any more
  bool closed_ = false;

  History history_;
  std::map<std::string, Watchers> watchers_;  // its entries stay, so that a callback may unwatch the last one
  std::map<Id, std::string> watched_resource_;
  Id last_watch_ = 0;

  std::shared_ptr<Store*> self_;  // null inside once we are gone: completions may still be on their way
  Writer writer_;                 // last: its thread ends before anything else goes
};

}  // namespace muster::store
