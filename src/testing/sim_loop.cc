#include "testing/sim_loop.h"

#include <algorithm>

#include "base/check.h"

namespace muster::testing {

SimLoop::SimLoop() = default;

void SimLoop::post(Task task) {
  const std::lock_guard lock(posted_mutex_);
  posted_.push_back(std::move(task));
}

Loop::Id SimLoop::after(Duration delay, Task task) {
  const Id id = ++last_id_;
  const Duration due = elapsed_ + std::max(delay, Duration{0});
  timers_.emplace(Due{due, id}, std::move(task));
  due_of_.emplace(id, due);
  return id;
}

Loop::Id SimLoop::on_readable(int fd, UniqueFunction<void()> /*task*/) {
  const Id id = ++last_id_;
  readable_.emplace(id, fd);
  return id;
}

void SimLoop::cancel(Id id) {
  readable_.erase(id);
  const auto found = due_of_.find(id);
  if (found == due_of_.end()) return;
  timers_.erase(Due{found->second, id});
  due_of_.erase(found);
}

void SimLoop::settle() {
  for (std::size_t ran = 0; run_one_posted() || run_one_due(); ++ran) CHECK(ran < kMaxTasks);
}

void SimLoop::advance(Duration span) {
  CHECK(span >= Duration{0});
  const Duration end = elapsed_ + span;
  settle();
  while (!timers_.empty() && timers_.begin()->first.first <= end) {
    elapsed_ = timers_.begin()->first.first;
    settle();
  }
  elapsed_ = end;
}

void SimLoop::forget() {
  // What is dropped may post again while it is destroyed.
  while (true) {
    std::map<Due, Task> timers = std::exchange(timers_, {});
    due_of_.clear();
    readable_.clear();
    std::deque<Task> posted;
    {
      const std::lock_guard lock(posted_mutex_);
      posted.swap(posted_);
    }
    if (timers.empty() && posted.empty()) return;
  }
}

bool SimLoop::watches(int fd) const {
  return std::ranges::any_of(readable_, [fd](const auto& entry) { return entry.second == fd; });
}

Duration SimLoop::until_next_timer() const {
  return timers_.empty() ? Duration{-1} : timers_.begin()->first.first - elapsed_;
}

bool SimLoop::run_one_posted() {
  Task task;
  {
    const std::lock_guard lock(posted_mutex_);
    if (posted_.empty()) return false;
    task = std::move(posted_.front());
    posted_.pop_front();
  }
  task();
  return true;
}

bool SimLoop::run_one_due() {
  if (timers_.empty() || timers_.begin()->first.first > elapsed_) return false;
  auto timer = timers_.extract(timers_.begin());
  due_of_.erase(timer.key().second);
  timer.mapped()();
  return true;
}

}  // namespace muster::testing
