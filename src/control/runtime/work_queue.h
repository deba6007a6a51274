// WorkQueue: the objects that need a look. A key is queued at most once and processed by one run at a time; a key added
// during its run is run once more afterwards. Loop thread only. The number of keys bounds its size.
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

/// Has an entry for every primary and is looked up at every change; it is never iterated where the order would matter.
template <typename Value>
using ByObject = std::unordered_map<ObjectKey, Value, ObjectKeyHash>;
using ObjectKeys = std::unordered_set<ObjectKey, ObjectKeyHash>;

class WorkQueue {
 public:
  /// `work` starts a run; done() reports its end.
  WorkQueue(Loop& loop, std::function<void(const ObjectKey&)> work);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Starts processing. No key is processed before this call, because the caches have to be complete first.
  void open();
  void add(const ObjectKey& key);
  /// Adds the key after the delay. This replaces an earlier delayed addition of the same key.
  void add_after(const ObjectKey& key, Duration delay);
  void done(const ObjectKey& key);
  /// Drops the timer of an object that is gone.
  void forget(const ObjectKey& key);

 private:
  // The limit on concurrent runs: enough to fill group commits, few enough that one burst does not block the loop.
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
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // posted tasks may outlive this object
};

}  // namespace muster::control
