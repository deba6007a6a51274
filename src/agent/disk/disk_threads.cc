#include "agent/disk/disk_threads.h"

#include "base/thread.h"

namespace muster::agent {

DiskThreads::~DiskThreads() {
  lifetime_.end();
  std::deque<Job> dropped;  // destroyed without the mutex: what they hold may be anything
  {
    const MutexLock lock(mutex_);
    dropped.swap(jobs_);
    for (std::jthread& thread : threads_) thread.request_stop();
    wake_.notify_all();
  }
  threads_.clear();
}

void DiskThreads::start(int count) {
  for (int i = 0; i < count; ++i) {
    threads_.push_back(start_thread("files", [this](const std::stop_token& stop) { serve(stop); }));
  }
}

void DiskThreads::add(Job job) {
  const MutexLock lock(mutex_);
  jobs_.push_back(std::move(job));
  wake_.notify_one();
}

void DiskThreads::serve(const std::stop_token& stop) {
  for (;;) {
    Job job;
    {
      const MutexLock lock(mutex_);
      while (jobs_.empty() && !stop.stop_requested()) mutex_.wait(wake_);
      if (stop.stop_requested()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job(stop);
  }
}

}  // namespace muster::agent
