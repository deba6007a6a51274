#include "apiserver/api_server.h"

namespace muster::apiserver {
namespace {

/// Both ends of a call without a socket. Whatever the server does becomes a task on the loop, in order, so that the
/// caller's callbacks never run inside its own call.
class LocalExchange final : public net::Exchange, public std::enable_shared_from_this<LocalExchange> {
 public:
  LocalExchange(Loop& loop, net::ResponseSink sink) : loop_(loop), sink_(std::move(sink)) {}

  void respond(net::Response response) override {
    auto head = std::make_shared<net::Response>(std::move(response));
    push([this, head] {
      if (sink_.on_head) sink_.on_head(head->status, head->headers);
      if (!cancelled_ && !head->body.empty() && sink_.on_data) sink_.on_data(head->body);
      for (const net::Bytes& piece : head->pieces) {
        if (!cancelled_ && sink_.on_data) sink_.on_data(*piece);
      }
      end(ok());
    });
  }
  void begin(int status, net::Headers headers) override {
    push([this, status, headers = std::move(headers)] {
      if (sink_.on_head) sink_.on_head(status, headers);
    });
  }
  void write(net::Bytes bytes) override {
    unsent_ += bytes->size();
    push([this, bytes] {
      take(bytes->size());
      if (sink_.on_data) sink_.on_data(*bytes);
    });
  }
  bool takes_shared() const override { return static_cast<bool>(sink_.on_shared); }
  void write_shared(std::string_view type, const net::Bytes& object) override {
    unsent_ += object->size();
    push([this, type = std::string(type), object] {
      take(object->size());
      sink_.on_shared(type, object);
    });
  }
  void finish() override {
    push([this] { end(ok()); });
  }
  std::size_t unsent() const override { return unsent_; }
  void when_room(std::size_t bytes, Task task) override {
    room_ = bytes;
    on_room_ = std::move(task);
    take(0);
  }
  void abort() override {
    push([this] {
      Error error;
      error.reason = Reason::kServiceUnavailable;
      error.message = "the server dropped the stream: it was not read fast enough";
      end(error);
    });
  }
  void on_gone(Task task) override { gone_ = std::move(task); }

  /// The caller is no longer interested: its callbacks are never called again.
  void cancel() {
    if (cancelled_) return;
    cancelled_ = true;
    on_room_ = nullptr;
    if (ended_) return;
    ended_ = true;
    // Posted: the caller may be inside one of the callbacks that go away here, or be told by the server right now.
    loop_.post([keep = shared_from_this(), gone = std::move(gone_)]() mutable {
      keep->sink_ = {};
      if (gone) gone();
    });
  }

 private:
  void push(Task task) {
    loop_.post([keep = shared_from_this(), task = std::move(task)]() mutable {
      if (!keep->cancelled_ && !keep->ended_) task();
    });
  }
  void take(std::size_t bytes) {
    unsent_ -= bytes;
    if (on_room_ && unsent_ <= room_) loop_.post(std::exchange(on_room_, nullptr));
  }
  void end(Status status) {
    if (cancelled_ || ended_) return;
    ended_ = true;
    gone_ = nullptr;
    on_room_ = nullptr;
    net::ResponseSink sink = std::move(sink_);  // what it captured goes with it
    if (sink.on_end) sink.on_end(std::move(status));
  }

  Loop& loop_;
  net::ResponseSink sink_;
  Task gone_;
  std::size_t unsent_ = 0;
  std::size_t room_ = 0;  // what may be unsent when on_room_ is called
  Task on_room_;
  bool cancelled_ = false;
  bool ended_ = false;
};

class LocalCall final : public net::Call {
 public:
  explicit LocalCall(std::shared_ptr<LocalExchange> exchange) : exchange_(std::move(exchange)) {}
  ~LocalCall() override { exchange_->cancel(); }

 private:
  std::shared_ptr<LocalExchange> exchange_;
};

}  // namespace

std::unique_ptr<net::Call> LocalTransport::send(net::Request request, net::ResponseSink sink) {
  request.peer = {};
  request.peer.in_process = true;
  auto exchange = std::make_shared<LocalExchange>(loop_, std::move(sink));
  server_.handle(std::move(request), exchange);
  return std::make_unique<LocalCall>(std::move(exchange));
}

}  // namespace muster::apiserver
