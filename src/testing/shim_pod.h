// A pod for tests whose shim is driven through its control channel, on a real event loop.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/shim/shim_channel.h"
#include "net/event_loop.h"
#include "testing/either_user.h"

namespace muster::agent {

/// The states and answers that one connection has received.
class TestChannel {
 public:
  TestChannel(net::EventLoop& loop, const std::string& folder) : loop_(loop) {
    auto connected = ShimChannel::connect(loop, folder,
                                          {.on_state = [this](AttemptRecord record) { state = std::move(record); },
                                           .on_closed = [this] { closed = true; }});
    EXPECT_TRUE(connected) << connected.error().message;
    if (connected) channel_ = *std::move(connected);
  }

  ShimChannel* operator->() { return channel_.get(); }
  void disconnect() { channel_.reset(); }

  /// Runs the loop until it is true. Fails when the shim goes away before.
  void wait_for(const std::function<bool()>& done) {
    loop_.run_until([&] { return done() || closed; });
    EXPECT_TRUE(done()) << "the shim has closed the connection";
  }
  const ContainerRecord* find(const std::string& container = "main") const {
    return state ? state->find(container) : nullptr;
  }
  void wait_for_run(int run, RunState wanted, const std::string& container = "main") {
    wait_for([&] {
      const ContainerRecord* found = find(container);
      return found != nullptr && found->run == run && found->state == wanted;
    });
  }
  void wait_until_closed() {
    loop_.run_until([this] { return closed; });
  }
  /// Waits for the answer of a request: "" or the error's message.
  std::string answer_of(const std::function<void(ShimChannel&, ShimChannel::Done)>& request) {
    std::optional<std::string> answer;
    request(*channel_, [&answer](const Status& status) { answer = status ? "" : status.error().message; });
    loop_.run_until([&] { return answer.has_value(); });
    return *answer;
  }
  std::string start(int run, const std::string& container = "main") {
    return answer_of([&](ShimChannel& c, ShimChannel::Done done) { c.start(container, run, std::move(done)); });
  }
  std::string kill_container(int run, std::int64_t grace, const std::string& container = "main") {
    return answer_of(
        [&](ShimChannel& c, ShimChannel::Done done) { c.kill_container(container, run, grace, std::move(done)); });
  }
  std::string kill_for_memory(int run, const std::string& why, const std::string& container = "main") {
    return answer_of(
        [&](ShimChannel& c, ShimChannel::Done done) { c.kill_for_memory(container, run, why, std::move(done)); });
  }
  std::string stop(std::int64_t grace) {
    return answer_of([&](ShimChannel& c, ShimChannel::Done done) { c.stop(grace, std::move(done)); });
  }

  std::optional<AttemptRecord> state;
  bool closed = false;

 private:
  net::EventLoop& loop_;
  std::unique_ptr<ShimChannel> channel_;
};

class ShimChannelTest : public EitherUserTest {
 protected:
  static Launch shell(const std::string& script, RestartPolicy restart = RestartPolicy::kAlways) {
    Launch launch = TestPod::shell(script);
    launch.restart = restart;
    return launch;
  }
  /// Starts the pod and connects to it.
  TestChannel& begin(Launch launch) {
    pod_->start(std::move(launch));
    pod_->go();
    return connect();
  }
  TestChannel& connect() {
    channels_.push_back(std::make_unique<TestChannel>(loop_, pod_->folder()));
    return *channels_.back();
  }

  net::EventLoop loop_;
  std::vector<std::unique_ptr<TestChannel>> channels_;
};

}  // namespace muster::agent
