// Senders: how notices really travel: by HTTP, by mail and by a program of the owner. None of them blocks the loop.
#pragma once

#include <memory>

#include "net/event_loop.h"
#include "notify/sender.h"

namespace muster::notify {

class Senders final : public Sender {
 public:
  struct Limits {
    Duration hook = std::chrono::seconds(10);
    Duration mail = std::chrono::seconds(30);
    Duration program = std::chrono::seconds(60);
  };
  explicit Senders(net::EventLoop& loop) : Senders(loop, Limits{}) {}
  Senders(net::EventLoop& loop, Limits limits);
  ~Senders() override;
  void send(const Target& target, const JobNews& job, const Notice& notice, UniqueFunction<void(Status)> done) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::notify
