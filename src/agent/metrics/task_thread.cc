#include "agent/metrics/task_thread.h"

#include "base/thread.h"

namespace muster::agent {

TaskThread::TaskThread(const char* name)
    : thread_(start_thread(name, [this](const std::stop_token& stop) { run_tasks(stop); })) {}

TaskThread::~TaskThread() {
  thread_.request_stop();
  const MutexLock lock(mutex_);
  wake_.notify_one();
}

void TaskThread::run(Task task) {
  const MutexLock lock(mutex_);
  tasks_.push_back(std::move(task));
  wake_.notify_one();
}

void TaskThread::run_tasks(const std::stop_token& stop) {
  for (;;) {
    Task next;
    {
      const MutexLock lock(mutex_);
      while (tasks_.empty() && !stop.stop_requested()) mutex_.wait(wake_);
      if (tasks_.empty()) return;
      next = std::move(tasks_.front());
      tasks_.pop_front();
    }
    next();
  }
}

}  // namespace muster::agent
