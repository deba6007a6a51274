#include "net/server_web_socket.h"

namespace muster::net {

void ServerWebSocket::start(const std::shared_ptr<void>& owner, const Request& handshake, const std::string& protocol,
                            Sink sink) {
  owner_ = owner;
  sink_ = std::move(sink);
  exchange_->begin(101, accept_handshake(handshake, protocol));
  WebSocketSink messages;
  messages.on_message = [this](std::string_view bytes, bool first, bool last) {
    if (!ended_) sink_.on_message(bytes, first, last);
  };
  messages.on_close = [this](CloseCode, const std::string&) { end(); };
  socket_ = std::make_shared<WebSocket>(*exchange_, WebSocketRole::kServer, nullptr, std::move(messages));
  const auto take = [this, weak = owner_](std::string_view bytes) {
    if (const auto held = weak.lock(); held && !ended_) socket_->take(bytes);
  };
  exchange_->read_input({.on_data = take, .on_end = nullptr});
  exchange_->on_gone([this, owner] { end(); });
  ping_later();
}

void ServerWebSocket::send(std::string_view payload, std::string_view prefix) {
  constexpr std::size_t kMostUnsent = std::size_t{1} << 20;
  if (ended_) return;
  socket_->send(payload, prefix);
  if (is_full_ || exchange_->unsent() <= kMostUnsent) return;
  sink_.on_full(is_full_ = true);
  exchange_->when_room(kMostUnsent / 2, [this, weak = owner_] {
    if (const auto held = weak.lock(); held && !ended_) sink_.on_full(is_full_ = false);
  });
}

void ServerWebSocket::close(CloseCode code, std::string_view reason) {
  if (ended_) return;
  socket_->close(code, reason);
  end();
}

/// A client that has disappeared without closing its connection is noticed by the second ping at the latest.
void ServerWebSocket::ping_later() {
  ping_timer_ = loop_.after(std::chrono::seconds(15), [this, weak = owner_] {
    const auto held = weak.lock();
    if (!held || ended_) return;
    socket_->ping();
    ping_later();
  });
}

/// The exchange and the owner may be calling now, so they are released later.
void ServerWebSocket::end() {
  if (std::exchange(ended_, true)) return;
  exchange_->finish();
  loop_.post([this, held = owner_.lock()] {
    sink_.on_end();
    socket_.reset();
    exchange_.reset();
  });
}

}  // namespace muster::net
