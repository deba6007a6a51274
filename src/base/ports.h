// The ports through which code reaches time, chance and the event loop. Real ones are in net/ and main/, behaving fakes
// in testing/.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "base/unique_function.h"

namespace muster {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;       // wall clock: for timestamps people see
  virtual MonoTime mono() const = 0;  // never jumps: for spans and timeouts
};

class Rng {
 public:
  virtual ~Rng() = default;
  virtual std::uint64_t next() = 0;
};

/// One thread owns all mutable state of a process; this is how work gets onto it.
class Loop : public Clock {
 public:
  using Id = std::uint64_t;  // never 0, never reused

  /// Runs the task on the loop thread, after what is already queued. The only call allowed from other threads.
  virtual void post(Task task) = 0;
  /// For work that can wait, on the loop thread: runs when nothing else is ready, or has waited long enough.
  virtual void post_when_idle(Task task) { post(std::move(task)); }
  virtual Id after(Duration delay, Task task) = 0;
  /// Runs the task each time the descriptor is readable, until cancelled. The descriptor stays the caller's.
  virtual Id on_readable(int fd, UniqueFunction<void()> task) = 0;
  /// Safe for an id that has fired or was cancelled.
  virtual void cancel(Id id) = 0;
};

}  // namespace muster
