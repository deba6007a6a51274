// WorkQueue: the objects that need a look. A key is queued at most once and processed by one run at a time; a key added
// during its run is run once more afterwards. Loop thread only. The number of keys bounds its size.
#pragma once

#include <deque>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "base/lifetime.h"
#include "base/ports.h"

namespace muster {

struct WorkLimits {
  std::size_t running = 1;   // runs at the same time
  std::size_t per_turn = 1;  // runs that start before the loop serves something else
  /// Whether the first turn after a pause waits until the loop is idle; all others do.
  bool starts_idle = true;
};

template <typename Key, typename Hash = std::hash<Key>>
class WorkQueue {
 public:
  /// `work` starts a run, never inline; done() reports its end.
  WorkQueue(Loop& loop, WorkLimits limits, std::function<void(const Key&)> work)
      : loop_(loop), limits_(limits), work_(std::move(work)) {}
  ~WorkQueue() {
    for (const auto& [key, id] : timers_) loop_.cancel(id);
  }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Starts processing. No key is processed before this call, because the caches have to be complete first.
  void open() {
    open_ = true;
    wake(limits_.starts_idle);
  }
  void add(const Key& key) {
    if (running_.contains(key)) {
      again_.insert(key);
      return;
    }
    if (!queued_.insert(key).second) return;
    waiting_.push_back(key);
    wake(limits_.starts_idle);
  }
  /// Adds the key after the delay. This replaces an earlier delayed addition of the same key.
  void add_after(const Key& key, Duration delay) {
    forget(key);
    if (delay <= Duration(0)) return add(key);
    timers_[key] = loop_.after(delay, [this, key] {
      timers_.erase(key);
      add(key);
    });
  }
  void done(const Key& key) {
    CHECK(running_.erase(key) == 1);
    if (again_.erase(key) > 0) add(key);
    wake(true);
  }
  /// Returns how many keys wait for a run.
  std::size_t waiting() const { return waiting_.size(); }
  /// Drops the delayed addition of an object that is gone.
  void forget(const Key& key) {
    const auto timer = timers_.find(key);
    if (timer == timers_.end()) return;
    loop_.cancel(timer->second);
    timers_.erase(timer);
  }

 private:
  void wake(bool when_idle) {
    if (woken_ || !open_ || waiting_.empty()) return;
    woken_ = true;
    Task turn = lifetime_.guard([this] { take_turn(); });
    // Requests from users and programs come first.
    when_idle ? loop_.post_when_idle(std::move(turn)) : loop_.post(std::move(turn));
  }

  void take_turn() {
    woken_ = false;  // what is added from here on may start the next turn without waiting for an idle loop
    for (std::size_t i = 0; i < limits_.per_turn && !waiting_.empty() && running_.size() < limits_.running; ++i) {
      const Key key = std::move(waiting_.front());
      waiting_.pop_front();
      queued_.erase(key);
      running_.insert(key);
      work_(key);
    }
    if (running_.size() < limits_.running) wake(true);
  }

  Loop& loop_;
  WorkLimits limits_;
  std::function<void(const Key&)> work_;
  bool open_ = false;
  bool woken_ = false;  // a turn is posted
  std::deque<Key> waiting_;
  std::unordered_set<Key, Hash> queued_;
  std::unordered_set<Key, Hash> running_;
  std::unordered_set<Key, Hash> again_;
  std::unordered_map<Key, Loop::Id, Hash> timers_;
  Lifetime lifetime_;
};

}  // namespace muster
