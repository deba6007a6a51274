// The real Loop: one thread, Boost.Asio inside.
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
  /// SIGINT and SIGTERM become a task on the loop.
  void on_stop_signal(UniqueFunction<void(int signal)> task);

  /// While it says so the loop is not idle, although nothing is ready: requests wait for the disk.
  void set_busy(std::function<bool()> busy);

  /// Runs until stop() or until `done` (when given) says so.
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
