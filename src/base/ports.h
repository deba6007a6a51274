// The ports through which code reaches time, randomness and the event loop. The real implementations are in net/ and
// main/, behaving fakes in testing/.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "base/unique_function.h"

namespace muster {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;       // wall clock, for timestamps that people read
  virtual MonoTime mono() const = 0;  // never jumps; for durations and timeouts
};

class Rng {
 public:
  virtual ~Rng() = default;
  virtual std::uint64_t next() = 0;
};

/// One thread owns all mutable state of a process; work gets onto that thread through this port.
class Loop : public Clock {
 public:
  using Id = std::uint64_t;  // never 0, never reused

  /// Runs the task on the loop thread, after the tasks already queued. It is the only call allowed from other threads.
  virtual void post(Task task) = 0;
  /// Defers work on the loop thread: the task runs when nothing else is ready, or when it has waited long enough.
  virtual void post_when_idle(Task task) { post(std::move(task)); }
  virtual Id after(Duration delay, Task task) = 0;
  /// Runs the task each time the descriptor is readable, until cancelled. The caller keeps ownership of the descriptor.
  virtual Id on_readable(int fd, UniqueFunction<void()> task) = 0;
  /// Does nothing when the task has already run or was already cancelled.
  virtual void cancel(Id id) = 0;
};

}  // namespace muster
