// TaskThread: a thread for work that must not block the loop. Tasks run one after another, in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <thread>

#include "base/mutex.h"
#include "base/unique_function.h"

namespace muster::agent {

class TaskThread {
 public:
  /// `name` has at most 15 characters.
  explicit TaskThread(const char* name);
  /// Returns when all tasks have run.
  ~TaskThread();

  void run(Task task);

 private:
  void run_tasks(const std::stop_token& stop);

  Mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace muster::agent
