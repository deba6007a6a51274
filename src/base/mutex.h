// A mutex whose use Clang checks (-Wthread-safety): data names the mutex that guards it, and code that touches the data
// without holding the mutex does not compile there.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define MUSTER_CHECKED(attribute) __attribute__((attribute))
#else
#define MUSTER_CHECKED(attribute)
#endif
#define GUARDED_BY(mutex) MUSTER_CHECKED(guarded_by(mutex))
#define REQUIRES(mutex) MUSTER_CHECKED(requires_capability(mutex))

namespace muster {

class MUSTER_CHECKED(capability("mutex")) Mutex {
 public:
  void lock() MUSTER_CHECKED(acquire_capability()) { mutex_.lock(); }
  void unlock() MUSTER_CHECKED(release_capability()) { mutex_.unlock(); }

  /// Releases the mutex while waiting and holds it again afterwards.
  void wait(std::condition_variable& changed) REQUIRES(this) {
    std::unique_lock lock(mutex_, std::adopt_lock);
    changed.wait(lock);
    lock.release();
  }
  /// Returns false when the time limit has passed.
  bool wait_for(std::condition_variable& changed, std::chrono::nanoseconds longest) REQUIRES(this) {
    std::unique_lock lock(mutex_, std::adopt_lock);
    const bool woken = changed.wait_for(lock, longest) == std::cv_status::no_timeout;
    lock.release();
    return woken;
  }

 private:
  std::mutex mutex_;
};

class MUSTER_CHECKED(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) MUSTER_CHECKED(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() MUSTER_CHECKED(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace muster
