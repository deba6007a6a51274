// The real Loop: one thread, implemented with Boost.Asio.
#pragma once

#include <functional>
#include <memory>

#include "base/ports.h"

namespace muster::net {

class EventLoop final : public Loop {
 public:
  EventLoop();
  ~EventLoop() override;

  Time now() const override;
  MonoTime mono() const override;
  void post(Task task) override;
  void post_when_idle(Task task) override;
  Id after(Duration delay, Task task) override;
  Id on_readable(int fd, UniqueFunction<void()> task) override;
  void cancel(Id id) override;
  /// Delivers SIGINT and SIGTERM as a task on the loop.
  void on_stop_signal(UniqueFunction<void(int signal)> task);

  /// While `busy` returns true the loop does not count as idle, although no task is ready: requests wait for the disk.
  void set_busy(std::function<bool()> busy);

  /// Runs until stop() or until `done` (when given) returns true.
  void run();
  void run_until(const std::function<bool()>& done);
  void stop();

  /// For the other .cc files of net/ only.
  struct Context;
  Context& context() { return *context_; }

 private:
  struct Watch;
  void start_watch(int fd, const std::shared_ptr<Watch>& watch);
  bool step();

  std::unique_ptr<Context> context_;
};

}  // namespace muster::net
