#include "client/remote_port.h"

#include "net/spdy.h"
#include "net/web_socket.h"

namespace muster::client {
namespace {

constexpr std::uint32_t kErrorStream = 1;
constexpr std::uint32_t kDataStream = 3;
constexpr std::size_t kMostErrorBytes = std::size_t{64} << 10;

/// What the callbacks of the call share with the session. It lives until the session is destroyed.
class PortConversation : public std::enable_shared_from_this<PortConversation> {
 public:
  PortConversation(Rng& rng, node::PortSink sink) : rng_(rng), sink_(std::move(sink)) {}

  void start(ApiClient& api, const node::PortRequest& request) {
    const std::string key = net::make_handshake_key(rng_);
    const std::vector<std::string> protocols{std::string(kTunnelProtocol)};
    net::ResponseSink sink;
    sink.on_head = [weak = weak_from_this(), key, protocols, port = request.port](int, const net::Headers& headers) {
      const auto self = weak.lock();
      if (!self || self->done_) return;
      if (const Status accepted = net::check_accepted(headers, key, protocols); !accepted) return self->end(accepted);
      self->open_streams(std::to_string(port));
    };
    sink.on_data = [weak = weak_from_this()](std::string_view bytes) {
      const auto self = weak.lock();
      if (self && self->socket_ && !self->done_) self->socket_->take(bytes);
    };
    sink.on_end = [weak = weak_from_this()](const Status& status) {
      if (const auto self = weak.lock()) self->end(status ? Status(cut_off()) : status);
    };
    const std::string target = path_of({{"", "v1", "pods"}, request.ns, request.pod, "portforward"});
    call_ = api.stream("GET", target, std::move(sink), net::make_handshake(key, protocols));
  }

  void silence() { done_ = true; }
  void stop() {
    socket_.reset();
    call_.reset();
  }

  /// A server takes nothing on a stream that it has not agreed to, so the first bytes wait.
  void write(std::string_view bytes) {
    if (done_ || is_finishing_) return;
    if (!is_open_) {
      early_bytes_ += bytes;
      return;
    }
    // A frame has a length of 24 bits.
    constexpr std::size_t kMostInFrame = std::size_t{1} << 20;
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, kMostInFrame);
      socket_->send(part, net::SpdyWriter::data_head(kDataStream, part.size(), false));
      bytes.remove_prefix(part.size());
    }
  }
  void finish() {
    if (done_ || std::exchange(is_finishing_, true) || !is_open_) return;
    socket_->send("", net::SpdyWriter::data_head(kDataStream, 0, true));
  }
  std::size_t unsent() const { return early_bytes_.size() + (call_ != nullptr ? call_->unsent() : 0); }
  void when_room(std::size_t bytes, Task task) {
    if (!is_open_) {
      early_room_ = {bytes, std::move(task)};
    } else if (call_ != nullptr) {
      call_->when_room(bytes, [weak = weak_from_this(), task = std::move(task)]() mutable {
        if (const auto self = weak.lock(); self && !self->done_) task();
      });
    }
  }
  net::Call* call() { return call_.get(); }

 private:
  static Error cut_off() {
    return Error{.reason = Reason::kServiceUnavailable, .message = "lost connection to the server"};
  }

  void open_streams(const std::string& port) {
    net::WebSocketSink sink;
    sink.on_message = [this](std::string_view bytes, bool, bool) {
      const Status read = reader_.put(bytes, [this](const net::SpdyFrame& frame) {
        take(frame);
        return !done_;
      });
      if (!read) end(read);
    };
    sink.on_close = [this](net::CloseCode, const std::string&) { end(cut_off()); };
    socket_ = std::make_shared<net::WebSocket>(*call_, net::WebSocketRole::kClient, &rng_, std::move(sink));
    const auto headers = [&](const char* type) {
      return net::SpdyFrame::Headers{
          {"streamtype", type}, {"port", port}, {"requestid", "0"}, {std::string(net::kSpdyHalfClose), "true"}};
    };
    socket_->send("", writer_.open(kErrorStream, headers("error"), true));
    socket_->send("", writer_.open(kDataStream, headers("data"), false));
  }

  void take(const net::SpdyFrame& frame) {
    using Kind = net::SpdyFrame::Kind;
    if (frame.kind == Kind::kReply && frame.stream == kDataStream) return on_open();
    if (frame.kind == Kind::kReset) return end(cut_off());
    if (frame.kind == Kind::kPing && frame.stream % 2 == 0) socket_->send("", writer_.ping(frame.stream));
    if (frame.kind != Kind::kData) return;
    if (frame.stream == kDataStream) {
      if (!frame.bytes.empty()) sink_.on_bytes(frame.bytes);
      if (frame.is_last) on_finish();
    } else if (frame.stream == kErrorStream) {
      error_ += frame.bytes.substr(0, kMostErrorBytes - std::min(kMostErrorBytes, error_.size()));
      if (frame.is_last) on_error_end();
    }
  }

  void on_open() {
    if (std::exchange(is_open_, true)) return;
    const bool finishes = std::exchange(is_finishing_, false);
    write(std::exchange(early_bytes_, {}));
    if (finishes) finish();
    if (early_room_.second) when_room(early_room_.first, std::exchange(early_room_.second, nullptr));
  }

  void on_finish() {
    if (auto task = std::exchange(sink_.on_finish, nullptr)) task();
  }

  /// The server ends this stream when the connection to the program is over.
  void on_error_end() {
    if (!error_.empty()) return end(Error{.reason = Reason::kServiceUnavailable, .message = error_});
    on_finish();
    end(ok());
  }

  void end(Status how) {
    if (std::exchange(done_, true)) return;
    if (auto task = std::exchange(sink_.on_end, nullptr)) task(std::move(how));
  }

  Rng& rng_;
  node::PortSink sink_;
  std::unique_ptr<net::Call> call_;
  std::shared_ptr<net::WebSocket> socket_;  // null until the server has agreed
  net::SpdyReader reader_;
  net::SpdyWriter writer_;
  std::string early_bytes_;
  std::pair<std::size_t, Task> early_room_;
  std::string error_;
  bool is_open_ = false;
  bool is_finishing_ = false;
  bool done_ = false;
};

class RemotePort final : public node::PortSession {
 public:
  RemotePort(Loop& loop, std::shared_ptr<PortConversation> conversation)
      : loop_(loop), conversation_(std::move(conversation)) {}
  /// The call may be delivering the bytes whose processing destroys this.
  ~RemotePort() override {
    conversation_->silence();
    loop_.post([conversation = std::move(conversation_)] { conversation->stop(); });
  }
  RemotePort(const RemotePort&) = delete;
  RemotePort& operator=(const RemotePort&) = delete;

  void write(std::string_view bytes) override { conversation_->write(bytes); }
  void finish() override { conversation_->finish(); }
  std::size_t unsent() const override { return conversation_->unsent(); }
  void when_room(std::size_t bytes, Task task) override { conversation_->when_room(bytes, std::move(task)); }
  void pause() override {
    if (conversation_->call() != nullptr) conversation_->call()->pause_input();
  }
  void resume() override {
    if (conversation_->call() != nullptr) conversation_->call()->resume_input();
  }

 private:
  Loop& loop_;
  std::shared_ptr<PortConversation> conversation_;
};

}  // namespace

std::unique_ptr<node::PortSession> open_port(Loop& loop, ApiClient& api, Rng& rng, const node::PortRequest& request,
                                             node::PortSink sink) {
  auto conversation = std::make_shared<PortConversation>(rng, std::move(sink));
  conversation->start(api, request);
  return std::make_unique<RemotePort>(loop, std::move(conversation));
}

}  // namespace muster::client
