#include "client/write_gate.h"

namespace muster::client {

namespace {

/// A request that is refused before it was sent.
class RefusedCall final : public net::Call {
 public:
  RefusedCall(Loop& loop, net::ResponseSink sink) : sink_(std::make_shared<net::ResponseSink>(std::move(sink))) {
    loop.post([weak = std::weak_ptr(sink_)] {
      const auto live = weak.lock();
      if (live == nullptr || !live->on_end) return;
      live->on_end(Error{.reason = Reason::kServiceUnavailable, .message = "this operator does not lead any more"});
    });
  }

 private:
  std::shared_ptr<net::ResponseSink> sink_;
};

/// Counts a write from its start until it has ended or is dropped.
class CountedCall final : public net::Call {
 public:
  CountedCall(std::unique_ptr<net::Call> inner, std::shared_ptr<void> count)
      : inner_(std::move(inner)), count_(std::move(count)) {}
  void write(net::Bytes bytes) override { inner_->write(std::move(bytes)); }
  void finish() override { inner_->finish(); }
  std::size_t unsent() const override { return inner_->unsent(); }
  void when_room(std::size_t bytes, Task task) override { inner_->when_room(bytes, std::move(task)); }
  void pause_input() override { inner_->pause_input(); }
  void resume_input() override { inner_->resume_input(); }

 private:
  std::unique_ptr<net::Call> inner_;
  std::shared_ptr<void> count_;
};

}  // namespace

std::unique_ptr<net::Call> WriteGate::send(net::Request request, net::ResponseSink sink) {
  if (request.method == "GET" || request.method == "HEAD") return inner_.send(std::move(request), std::move(sink));
  if (closed_ || !may_write_()) return std::make_unique<RefusedCall>(loop_, std::move(sink));
  ++*under_way_;
  std::shared_ptr<void> count(nullptr, [under_way = under_way_](void*) { --*under_way; });
  return std::make_unique<CountedCall>(inner_.send(std::move(request), std::move(sink)), std::move(count));
}

}  // namespace muster::client
