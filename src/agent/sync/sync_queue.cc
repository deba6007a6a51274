#include "agent/sync/sync_queue.h"

#include <utility>

namespace muster::agent {

SyncQueue::SyncQueue(Loop& loop, std::function<void(const std::string&)> sync) : loop_(loop), sync_(std::move(sync)) {}

SyncQueue::~SyncQueue() {
  *alive_ = false;
  for (const auto& [key, id] : timers_) loop_.cancel(id);
}

void SyncQueue::open() {
  is_open_ = true;
  if (!added_.empty()) post();
}

void SyncQueue::add(const std::string& key) {
  added_.insert(key);
  post();
}

void SyncQueue::add_after(const std::string& key, Duration delay) {
  forget(key);
  if (delay <= Duration(0)) return add(key);
  timers_[key] = loop_.after(delay, [this, key] {
    timers_.erase(key);
    add(key);
  });
}

void SyncQueue::forget(const std::string& key) {
  const auto timer = timers_.find(key);
  if (timer == timers_.end()) return;
  loop_.cancel(timer->second);
  timers_.erase(timer);
}

void SyncQueue::post() {
  if (!is_open_ || std::exchange(is_posted_, true)) return;
  loop_.post([this, alive = alive_] {
    if (*alive) drain();
  });
}

/// Keys are synced in slices, because each sync may start processes: requests are served between two slices.
void SyncQueue::drain() {
  constexpr int kSyncedAtOnce = 16;
  is_posted_ = false;
  if (draining_.empty()) draining_ = std::exchange(added_, {});
  for (int i = 0; i < kSyncedAtOnce && !draining_.empty(); ++i) {
    sync_(std::move(draining_.extract(draining_.begin()).value()));
  }
  if ((draining_.empty() && added_.empty()) || std::exchange(is_posted_, true)) return;
  loop_.post_when_idle([this, alive = alive_] {
    if (*alive) drain();
  });
}

}  // namespace muster::agent
