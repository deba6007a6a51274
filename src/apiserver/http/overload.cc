#include "apiserver/http/overload.h"

#include <fmt/core.h>

namespace muster::apiserver {

class Overload::Counted final : public net::ExchangeDecorator {
 public:
  Counted(std::shared_ptr<Overload> overload, std::shared_ptr<net::Exchange> inner)
      : ExchangeDecorator(std::move(inner)), overload_(std::move(overload)), as_(&overload_->requests_) {
    ++*as_;
  }
  ~Counted() override { leave(); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  void respond(net::Response response) override {
    leave();
    ExchangeDecorator::respond(std::move(response));
  }
  void begin(int status, net::Headers headers) override {
    become_stream();
    ExchangeDecorator::begin(status, std::move(headers));
  }
  void read_input(net::InputSink sink) override {
    become_stream();
    ExchangeDecorator::read_input(std::move(sink));
  }
  void finish() override {
    leave();
    ExchangeDecorator::finish();
  }
  void abort() override {
    leave();
    ExchangeDecorator::abort();
  }

 private:
  void become_stream() {
    leave();
    as_ = &overload_->streams_;
    ++*as_;
  }
  void leave() {
    if (as_ != nullptr) --*as_;
    as_ = nullptr;
  }

  std::shared_ptr<Overload> overload_;
  std::size_t* as_;  // the counter that it is in; null once it has left
};

Result<std::shared_ptr<net::Exchange>> Overload::enter(std::shared_ptr<net::Exchange> exchange, bool streams) {
  const bool full = requests_ >= max_requests_ || (streams && streams_ >= max_streams_);
  if (!full) return std::shared_ptr<net::Exchange>(std::make_shared<Counted>(shared_from_this(), std::move(exchange)));
  Error error;
  error.reason = Reason::kTooManyRequests;
  error.message = fmt::format("too many requests, please try again later ({} under way, {} watches and followed logs)",
                              requests_, streams_);
  error.retry_after = std::chrono::seconds(1);
  return error;
}

}  // namespace muster::apiserver
