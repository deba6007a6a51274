// What is inside EventLoop, for the .cc files of net/ that speak Asio themselves.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <unordered_map>

#include "net/event_loop.h"

namespace muster::net {

struct EventLoop::Context {
  struct Timer;
  struct StopSignals;

  // Before `io`: destroying io destroys queued tasks, whose captures may still call cancel().
  std::unordered_map<Id, std::shared_ptr<Timer>> timers;
  std::unordered_map<Id, std::shared_ptr<Watch>> watches;
  Id last_id = 0;
  bool closing = false;
  boost::asio::io_context io{1};  // 1: only one thread runs it, though others may post
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  std::unique_ptr<StopSignals> stop_signals;

  ~Context();
};

}  // namespace muster::net
