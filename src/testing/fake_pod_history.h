// What a test says that the node remembers of pods.
#pragma once

#include "base/ports.h"
#include "node/pod_history.h"

namespace muster::testing {

class FakePodHistory final : public node::PodHistory {
 public:
  explicit FakePodHistory(Loop& loop) : loop_(loop) {}
  void find(const node::OwnerName& owner, UniqueFunction<void(node::PastPods)> done) override {
    asked = owner;
    loop_.post([done = std::move(done), answer = past]() mutable { done(std::move(answer)); });
  }

  node::PastPods past;
  node::OwnerName asked;

 private:
  Loop& loop_;
};

}  // namespace muster::testing
