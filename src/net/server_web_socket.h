// The server's side of a WebSocket on an Exchange: accepts the upgrade, notices a client that has disappeared, reports
// a slow one, and closes the connection in order. Loop thread only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "net/web_socket.h"

namespace muster::net {

/// A member of the object that processes its messages, the owner. What is sent after the end is dropped.
class ServerWebSocket {
 public:
  struct Sink {
    UniqueFunction<void(std::string_view bytes, bool first, bool last)> on_message;  // as in WebSocketSink
    UniqueFunction<void(bool is_full)> on_full;  // with true: a slow client has too much unread, so send little
    Task on_end;  // called once and never inside another callback, so the owner may destroy whatever calls it
  };

  ServerWebSocket(Loop& loop, std::shared_ptr<Exchange> exchange) : loop_(loop), exchange_(std::move(exchange)) {}
  ~ServerWebSocket() { loop_.cancel(ping_timer_); }
  ServerWebSocket(const ServerWebSocket&) = delete;
  ServerWebSocket& operator=(const ServerWebSocket&) = delete;

  /// Accepts a handshake. The exchange holds the owner until the end, so the sink need not.
  void start(const std::shared_ptr<void>& owner, const Request& handshake, const std::string& protocol, Sink sink);
  void send(std::string_view payload, std::string_view prefix = {});
  void close(CloseCode code, std::string_view reason = {});
  bool is_full() const { return is_full_; }
  void pause_input() {
    if (!ended_) exchange_->pause_input();
  }
  void resume_input() {
    if (!ended_) exchange_->resume_input();
  }

 private:
  void ping_later();
  void end();

  Loop& loop_;
  std::shared_ptr<Exchange> exchange_;
  std::shared_ptr<WebSocket> socket_;
  std::weak_ptr<void> owner_;
  Sink sink_;
  Loop::Id ping_timer_ = 0;
  bool is_full_ = false;
  bool ended_ = false;
};

}  // namespace muster::net
