// WorkQueue: which objects want to be looked at. A key is queued at most once and worked on by one run at a time; a key
// added during its run is run once more afterwards. Loop thread only. Its size is bounded by the number of keys.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/ports.h"

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

/// Of every primary there is, looked up at every change of one; never walked where the order would matter.
template <typename Value>
using ByObject = std::unordered_map<ObjectKey, Value, ObjectKeyHash>;
using ObjectKeys = std::unordered_set<ObjectKey, ObjectKeyHash>;

class WorkQueue {
 public:
  /// `work` starts a run, whose end is told by done().
  WorkQueue(Loop& loop, std::function<void(const ObjectKey&)> work);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Nothing is worked on before this: the caches have to be complete first.
  void open();
  void add(const ObjectKey& key);
  /// Adds the key after the delay, in place of an earlier such wish for it.
  void add_after(const ObjectKey& key, Duration delay);
  void done(const ObjectKey& key);
  /// The object is gone: drops its timer.
  void forget(const ObjectKey& key);

 private:
  // Runs under way at once: enough to fill group commits, few enough that one burst does not hold up the loop.
  static constexpr std::size_t kMaxRunning = 32;

  void wake();
  void work_one();
  void cancel_timer(const ObjectKey& key);

  Loop& loop_;
  std::function<void(const ObjectKey&)> work_;
  bool open_ = false;
  bool woken_ = false;
  std::deque<ObjectKey> waiting_;
  ObjectKeys queued_;
  ObjectKeys running_;
  ObjectKeys again_;
  ByObject<Loop::Id> timers_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // posted tasks outlive us
};

}  // namespace muster::control
