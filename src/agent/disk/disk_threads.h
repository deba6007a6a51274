// DiskThreads: runs blocking work on files off the loop. There are several threads, so that a slow disk or a large tree
// holds up one request and not all of them. Each piece of work is short or can be stopped.
//
// Loop thread only, apart from the internal threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/lifetime.h"
#include "base/mutex.h"
#include "base/ports.h"
#include "base/unique_function.h"

namespace muster::agent {

class DiskThreads {
 public:
  explicit DiskThreads(Loop& loop) : loop_(loop) {}
  /// Waits for the work that has begun, and drops the rest. No result is delivered afterwards.
  ~DiskThreads();

  void start(int count);

  /// Runs `work` on one of the threads, then `done` with its result on the loop.
  template <typename Work, typename Done>
  void run(Work work, Done done) {
    add([this, work = std::move(work), done = lifetime_.guard(std::move(done))](const std::stop_token& stop) mutable {
      loop_.post([done = std::move(done), result = work(stop)]() mutable { done(std::move(result)); });
    });
  }

 private:
  using Job = UniqueFunction<void(const std::stop_token&)>;
  void add(Job job);
  void serve(const std::stop_token& stop);

  Loop& loop_;
  Lifetime lifetime_;

  Mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_ GUARDED_BY(mutex_);

  std::vector<std::jthread> threads_;
};

}  // namespace muster::agent
