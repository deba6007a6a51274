// SimLoop: an event loop on virtual time. Nothing runs until the test calls settle() or advance(); then everything runs
// in a fixed order: posted tasks first in, first out; timers by due time and, when due at the same instant, in the
// order they were set. post() is safe from other threads; all other calls belong to the test's thread.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "base/ports.h"

namespace muster::testing {

class SimLoop final : public Loop {
 public:
  /// The most tasks that one settle() may run: a loop that keeps posting to itself is a bug to report, not to wait for.
  static constexpr std::size_t kMaxTasks = 10'000'000;

  SimLoop();

  Time now() const override { return Time(kEpoch + elapsed_); }
  MonoTime mono() const override { return MonoTime(elapsed_); }

  void post(Task task) override;
  Id after(Duration delay, Task task) override;
  /// Records the watch, which never fires: simulated peers are tasks, not descriptors.
  Id on_readable(int fd, UniqueFunction<void()> task) override;
  void cancel(Id id) override;

  /// Runs posted tasks and due timers until none is left. Time does not advance.
  void settle();
  /// Advances time and runs every timer that falls due, each at its own instant; calls settle() before and after.
  void advance(Duration span);

  /// Drops everything that was to run, as the end of a process does.
  void forget();

  /// The number of pending timers, for assertions that nothing is pending.
  std::size_t timers() const { return timers_.size(); }
  bool watches(int fd) const;
  /// Returns the time until the next timer; -1ns when none is set.
  Duration until_next_timer() const;

 private:
  // 2026-01-01T00:00:00Z, so that timestamps in tests look realistic.
  static constexpr Duration kEpoch = std::chrono::seconds(1'767'225'600);

  using Due = std::pair<Duration, Id>;

  bool run_one_posted();
  bool run_one_due();

  Duration elapsed_{0};
  Id last_id_ = 0;
  std::map<Due, Task> timers_;
  std::map<Id, Duration> due_of_;
  std::map<Id, int> readable_;
  std::mutex posted_mutex_;  // post() is the one call allowed from other threads
  std::deque<Task> posted_;
};

}  // namespace muster::testing
