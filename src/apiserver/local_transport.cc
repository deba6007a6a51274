#include <deque>

#include "apiserver/api_server.h"

namespace muster::apiserver {
namespace {

/// One direction of a call: what one end has sent and the other has not received yet.
class Direction {
 public:
  void add(std::size_t bytes, Task deliver) {
    unsent_ += bytes;
    items_.push_back({bytes, std::move(deliver)});
  }
  /// Returns what is received in this turn of the loop; null while the receiver pauses.
  Task next(Loop& loop) {
    if (paused_) {
      ++missed_;
      return nullptr;
    }
    Item item = std::move(items_.front());
    items_.pop_front();
    unsent_ -= item.bytes;
    tell_room(loop);
    return std::move(item.deliver);
  }
  void pause() { paused_ = true; }
  /// Returns the number of turns that were missed.
  std::size_t resume() {
    paused_ = false;
    return std::exchange(missed_, 0);
  }

  std::size_t unsent() const { return unsent_; }
  void when_room(Loop& loop, std::size_t bytes, Task task) {
    room_ = bytes;
    on_room_ = std::move(task);
    tell_room(loop);
  }
  void forget_room() { on_room_ = nullptr; }

 private:
  struct Item {
    std::size_t bytes = 0;
    Task deliver;
  };
  void tell_room(Loop& loop) {
    if (on_room_ && unsent_ <= room_) loop.post(std::exchange(on_room_, nullptr));
  }

  std::deque<Item> items_;
  std::size_t missed_ = 0;
  bool paused_ = false;
  std::size_t unsent_ = 0;
  std::size_t room_ = 0;  // on_room_ is called when at most this much is unsent
  Task on_room_;
};

/// Both ends of a call without a socket. Everything that one end sends becomes a task on the loop, in order, so that
/// callbacks of the other end never run inside the call that caused them.
class LocalExchange final : public net::Exchange, public std::enable_shared_from_this<LocalExchange> {
 public:
  LocalExchange(Loop& loop, net::ResponseSink sink) : loop_(loop), sink_(std::move(sink)) { to_server_.pause(); }

  void respond(net::Response response) override {
    auto head = std::make_shared<net::Response>(std::move(response));
    push(to_client_, 0, [this, head] {
      if (sink_.on_head) sink_.on_head(head->status, head->headers);
      if (!cancelled_ && !head->body.empty() && sink_.on_data) sink_.on_data(head->body);
      for (const net::Bytes& piece : head->pieces) {
        if (!cancelled_ && sink_.on_data) sink_.on_data(*piece);
      }
      end(ok());
    });
  }
  void begin(int status, net::Headers headers) override {
    push(to_client_, 0, [this, status, headers = std::move(headers)] {
      if (sink_.on_head) sink_.on_head(status, headers);
    });
  }
  void write(net::Bytes bytes) override {
    push(to_client_, bytes->size(), [this, bytes] {
      if (sink_.on_data) sink_.on_data(*bytes);
    });
  }
  bool takes_shared() const override { return static_cast<bool>(sink_.on_shared); }
  void write_shared(std::string_view type, const net::Bytes& object) override {
    push(to_client_, object->size(), [this, type = std::string(type), object] { sink_.on_shared(type, object); });
  }
  void finish() override {
    push(to_client_, 0, [this] { end(ok()); });
  }
  std::size_t unsent() const override { return to_client_.unsent(); }
  void when_room(std::size_t bytes, Task task) override { to_client_.when_room(loop_, bytes, std::move(task)); }
  void read_input(net::InputSink sink) override {
    input_ = std::make_shared<net::InputSink>(std::move(sink));
    resume(to_server_);
  }
  void pause_input() override { to_server_.pause(); }
  void resume_input() override { resume(to_server_); }
  void abort() override {
    push(to_client_, 0, [this] {
      Error error;
      error.reason = Reason::kServiceUnavailable;
      error.message = "the server dropped the stream: it was not read fast enough";
      end(error);
    });
  }
  void on_gone(Task task) override { gone_ = std::move(task); }

  // The caller's side.
  Direction& to_server() { return to_server_; }
  void send(net::Bytes bytes) {
    push(to_server_, bytes->size(), [this, bytes] {
      if (const auto input = input_; input->on_data) input->on_data(*bytes);
    });
  }
  void end_body() {
    push(to_server_, 0, [this] {
      if (const auto input = input_; input->on_end) input->on_end();
    });
  }
  void pause_response() { to_client_.pause(); }
  void resume_response() { resume(to_client_); }
  Loop& loop() { return loop_; }

  /// The caller cancels: its callbacks are never called again.
  void cancel() {
    if (cancelled_) return;
    cancelled_ = true;
    to_client_.forget_room();
    to_server_.forget_room();
    if (ended_) return;
    ended_ = true;
    // Posted, because the caller may be inside one of the callbacks destroyed here, or inside a call from the server.
    loop_.post([keep = shared_from_this(), gone = std::move(gone_)]() mutable {
      keep->sink_ = {};
      keep->input_.reset();
      if (gone) gone();
    });
  }

 private:
  void push(Direction& direction, std::size_t bytes, Task deliver) {
    direction.add(bytes, std::move(deliver));
    post_turn(direction);
  }
  void post_turn(Direction& direction) {
    loop_.post([keep = shared_from_this(), &direction] {
      if (keep->cancelled_ || keep->ended_) return;
      if (Task deliver = direction.next(keep->loop_)) deliver();
    });
  }
  void resume(Direction& direction) {
    for (std::size_t turns = direction.resume(); turns > 0; --turns) post_turn(direction);
  }
  void end(Status status) {
    if (cancelled_ || ended_) return;
    ended_ = true;
    gone_ = nullptr;
    to_client_.forget_room();
    to_server_.forget_room();
    input_.reset();
    net::ResponseSink sink = std::move(sink_);  // destroyed at the end, with everything it captured
    if (sink.on_end) sink.on_end(std::move(status));
  }

  Loop& loop_;
  net::ResponseSink sink_;
  std::shared_ptr<net::InputSink> input_;
  Direction to_client_;
  Direction to_server_;
  Task gone_;
  bool cancelled_ = false;
  bool ended_ = false;
};

class LocalCall final : public net::Call {
 public:
  explicit LocalCall(std::shared_ptr<LocalExchange> exchange) : exchange_(std::move(exchange)) {}
  ~LocalCall() override { exchange_->cancel(); }

  void write(net::Bytes bytes) override { exchange_->send(std::move(bytes)); }
  void finish() override { exchange_->end_body(); }
  std::size_t unsent() const override { return exchange_->to_server().unsent(); }
  void when_room(std::size_t bytes, Task task) override {
    exchange_->to_server().when_room(exchange_->loop(), bytes, std::move(task));
  }
  void pause_input() override { exchange_->pause_response(); }
  void resume_input() override { exchange_->resume_response(); }

 private:
  std::shared_ptr<LocalExchange> exchange_;
};

}  // namespace

std::unique_ptr<net::Call> LocalTransport::send(net::Request request, net::ResponseSink sink) {
  request.peer = {};
  request.peer.in_process = true;
  auto exchange = std::make_shared<LocalExchange>(loop_, std::move(sink));
  if (!request.streams_body && server_.streams_body(request)) {
    request.streams_body = true;
    exchange->send(std::make_shared<const std::string>(std::move(request.body)));
    exchange->end_body();
  }
  server_.handle(std::move(request), exchange);
  return std::make_unique<LocalCall>(std::move(exchange));
}

}  // namespace muster::apiserver
