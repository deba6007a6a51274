// SpdyForward: many connections to the ports of a pod in one WebSocket, as kubectl sends them: SPDY/3.1 frames, two
// streams for each connection.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "net/server_web_socket.h"
#include "net/spdy.h"
#include "node/port_session.h"

namespace muster::apiserver {

/// Connects to a port of the pod.
using OpenPort = std::function<Result<std::unique_ptr<node::PortSession>>(int port, node::PortSink sink)>;
/// A client waits while the program has not taken this much of what it sent.
inline constexpr std::size_t kMostUnsentToPort = std::size_t{1} << 20;

/// Returns nullopt for a text that is not the number of a port.
std::optional<int> parse_port(std::string_view text);
/// What a kubelet says when a connection cannot be made.
std::string forward_error(int port, const std::string& pod, const std::string& why);

class SpdyForward : public std::enable_shared_from_this<SpdyForward> {
 public:
  SpdyForward(Loop& loop, std::shared_ptr<net::Exchange> exchange, OpenPort open, std::string pod)
      : socket_(loop, std::move(exchange)), open_(std::move(open)), pod_(std::move(pod)) {}

  void start(const net::Request& handshake, const std::string& protocol);
  /// Ends all connections, and then the session.
  void close(std::string_view why) { socket_.close(net::CloseCode::kNormal, why); }
  /// Keeps something until the end of the session.
  void keep(std::shared_ptr<void> kept) { kept_ = std::move(kept); }

  /// How many connections one client may have open at a time.
  static constexpr std::size_t kMostConnections = 1024;

 private:
  /// A connection, by the number that the client gave it: a stream for data, and one on which its error is told.
  struct Connection {
    int port = 0;
    std::uint32_t data = 0;    // 0: not opened yet, or reset
    std::uint32_t errors = 0;  // the same
    std::unique_ptr<node::PortSession> session;
    bool is_connected = false;
    bool data_finished = false;    // by us
    bool errors_finished = false;  // by us
    bool half_closes = false;      // the client can still send when the program has finished
  };
  struct Stream {
    std::string connection;
    bool is_data = false;
  };

  void take(const net::SpdyFrame& frame);
  void open_stream(const net::SpdyFrame& frame);
  void connect(const std::string& id);
  void from_client(const net::SpdyFrame& frame);
  void on_reset(const net::SpdyFrame& frame);
  void from_program(const std::string& id, std::string_view bytes);
  void finish_data(Connection& connection);
  void finish_errors(Connection& connection);
  void end(const std::string& id, const Status& how);
  void wait_for_room(const std::string& id);
  void resume_client(const std::string& id);
  void on_full(bool is_full);
  void send_frame(const std::string& frame) { socket_.send("", frame); }
  void refuse(std::uint32_t stream, net::SpdyStatus status) { send_frame(writer_.reset(stream, status)); }

  net::ServerWebSocket socket_;
  OpenPort open_;
  std::string pod_;
  net::SpdyReader reader_;
  net::SpdyWriter writer_;
  std::map<std::string, Connection> connections_;
  std::map<std::uint32_t, Stream> streams_;
  std::set<std::string> full_;  // connections that take no more for now
  std::uint32_t last_stream_ = 0;
  bool client_leaves_ = false;
  std::shared_ptr<void> kept_;
};

}  // namespace muster::apiserver
