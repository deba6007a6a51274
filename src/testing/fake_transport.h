// A Transport whose other end is the test: it sees each request and answers when and how it chooses. Tests only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/ports.h"
#include "net/http.h"

namespace muster::client {

/// As Transport requires, callbacks are called through the loop, and never after the Call is destroyed.
class FakeTransport final : public net::Transport {
 public:
  explicit FakeTransport(Loop& loop) : loop_(loop) {}

  struct Sent {
    net::Request request;
    net::ResponseSink sink;
    bool cancelled = false;
    bool ended = false;
  };

  std::unique_ptr<net::Call> send(net::Request request, net::ResponseSink sink) override {
    sent_.push_back(std::make_shared<Sent>(Sent{std::move(request), std::move(sink)}));
    return std::make_unique<FakeCall>(sent_.back());
  }

  std::size_t count() const { return sent_.size(); }
  const net::Request& request(std::size_t i) const { return sent_.at(i)->request; }
  bool cancelled(std::size_t i) const { return sent_.at(i)->cancelled; }

  void sent(std::size_t i) { sent_.at(i)->sink.on_sent(); }
  void head(std::size_t i, int status, net::Headers headers = {}) {
    loop_.post([sent = sent_.at(i), status, headers = std::move(headers)] {
      if (!sent->cancelled) sent->sink.on_head(status, headers);
    });
  }
  void data(std::size_t i, std::string bytes) {
    loop_.post([sent = sent_.at(i), bytes = std::move(bytes)] {
      if (!sent->cancelled) sent->sink.on_data(bytes);
    });
  }
  /// Sends an event as a server in this process does.
  void shared_event(std::size_t i, const std::string& type, const std::string& object) {
    loop_.post([sent = sent_.at(i), type, object = std::make_shared<const std::string>(object)] {
      if (!sent->cancelled) sent->sink.on_shared(type, object);
    });
  }
  void end(std::size_t i, Status status = ok()) {
    // Shared, because g++ 12 warns about a Status that is moved into a task.
    loop_.post([sent = sent_.at(i), status = std::make_shared<const Status>(std::move(status))] {
      if (sent->cancelled) return;
      CHECK(!sent->ended);
      sent->ended = true;
      sent->sink.on_end(*status);
    });
  }
  /// Sends a complete response at once.
  void reply(std::size_t i, int status, std::string body, net::Headers headers = {}) {
    head(i, status, std::move(headers));
    data(i, std::move(body));
    end(i);
  }

 private:
  class FakeCall final : public net::Call {
   public:
    explicit FakeCall(std::shared_ptr<Sent> sent) : sent_(std::move(sent)) {}
    ~FakeCall() override { sent_->cancelled = true; }

   private:
    std::shared_ptr<Sent> sent_;
  };

  Loop& loop_;
  std::vector<std::shared_ptr<Sent>> sent_;
};

}  // namespace muster::client
