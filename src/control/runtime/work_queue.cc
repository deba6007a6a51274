#include "control/runtime/work_queue.h"

#include "base/check.h"

namespace muster::control {

WorkQueue::WorkQueue(Loop& loop, std::function<void(const ObjectKey&)> work) : loop_(loop), work_(std::move(work)) {}

WorkQueue::~WorkQueue() {
  *alive_ = false;
  for (const auto& [key, id] : timers_) loop_.cancel(id);
}

void WorkQueue::open() {
  open_ = true;
  wake();
}

void WorkQueue::add(const ObjectKey& key) {
  if (running_.contains(key)) {
    again_.insert(key);
    return;
  }
  if (!queued_.insert(key).second) return;
  waiting_.push_back(key);
  wake();
}

void WorkQueue::add_after(const ObjectKey& key, Duration delay) {
  cancel_timer(key);
  timers_[key] = loop_.after(delay, [this, key] {
    timers_.erase(key);
    add(key);
  });
}

void WorkQueue::done(const ObjectKey& key) {
  CHECK(running_.erase(key) == 1);
  if (again_.erase(key) > 0) add(key);
  wake();
}

void WorkQueue::forget(const ObjectKey& key) {
  cancel_timer(key);
}

void WorkQueue::wake() {
  if (woken_ || !open_ || waiting_.empty()) return;
  woken_ = true;
  // Requests from users and programs come first; the work of controllers can wait for a moment.
  loop_.post_when_idle([this, alive = alive_] {
    if (*alive) work_one();
  });
}

void WorkQueue::work_one() {
  woken_ = false;
  if (waiting_.empty() || running_.size() >= kMaxRunning) return;
  const ObjectKey key = std::move(waiting_.front());
  waiting_.pop_front();
  queued_.erase(key);
  running_.insert(key);
  work_(key);
  wake();
}

void WorkQueue::cancel_timer(const ObjectKey& key) {
  const auto timer = timers_.find(key);
  if (timer == timers_.end()) return;
  loop_.cancel(timer->second);
  timers_.erase(timer);
}

}  // namespace muster::control
