// HTTP/1.1 over TCP, where the first byte distinguishes TLS from plain HTTP, and over a Unix socket.
//
// Limits: head 64 KiB, body 3 MiB (413), 10 s for a head to arrive, idle keep-alive 5 min, connections capped (503).
// Plain HTTP is served to loopback peers only, except where listen_plain says otherwise. Any malformed request gets a
// 400 and the connection is closed.
//
// Every connection begins as a stranger and stops being one when the head of a request shows credentials. Strangers are
// few, have one deadline for everything up to the end of that head, and make room for newcomers; so a client with
// credentials can always present them. A stranger's request is answered without reading a body.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "net/event_loop.h"
#include "net/http.h"

namespace muster::net {

struct ServerTls {
  std::string certificate_pem;
  std::string key_pem;
};

struct ServerLimits {
  std::size_t head_bytes = 64 * 1024;
  std::size_t head_fields = 256;
  std::size_t body_bytes = 3 * 1024 * 1024;
  // The limit applies to TCP and, separately, to the Unix socket.
  std::size_t connections = 4096;
  std::size_t strangers = 512;                                  // in addition; each holds at most a head
  Duration stranger_patience = std::chrono::milliseconds(500);  // before a stranger makes room for a newcomer
  Duration head_timeout = std::chrono::seconds(10);             // for a stranger from the start, including TLS
  Duration idle_timeout = std::chrono::minutes(5);
  Duration write_timeout = std::chrono::seconds(60);  // for a peer to take 256 KiB, or to send more of a streamed body
  Duration linger_timeout = std::chrono::seconds(2);  // for a rejected request to finish arriving
  std::size_t body_bytes_per_second = 1024;           // a slower body is rejected after head_timeout
};

/// Returns whether the head of a request shows credentials. The handler still decides what its sender may do.
using KnowsSender = std::function<bool(const Request& head)>;
/// Returns whether the handler takes the body of this request through Exchange::read_input, without a limit on its
/// size.
using StreamsBody = std::function<bool(const Request& head)>;

struct ListenAddress {
  std::string host;  // as a number
  int port = 0;
};
/// BadRequest: it is not a TCP socket.
Result<ListenAddress> listen_address(int socket);

class HttpServer {
 public:
  /// Without a certificate there is no TLS. An unusable certificate makes listen() fail. Without `knows` no connection
  /// is a stranger.
  HttpServer(EventLoop& loop, ServerTls tls, Handler handler, ServerLimits limits = {}, KnowsSender knows = nullptr,
             StreamsBody streams = nullptr);
  ~HttpServer();

  /// Returns the port, which matters when 0 was requested. If the port is taken, returns AlreadyExists, and the message
  /// explains how to find its owner and how to choose another port. 127.0.0.1, ::1 and localhost all mean both loopback
  /// addresses where the machine has both: otherwise another program could listen on the other one.
  Result<int> listen(const std::string& host, int port);
  /// The same; a socket of `held` that already listens on such an address is moved out of there instead of binding one.
  Result<int> listen(const std::string& host, int port, std::vector<Fd>& held);
  /// Serves plain HTTP to everybody, for what is not secret. An empty host means every address of the machine.
  Result<int> listen_plain(const std::string& host, int port);
  /// The mode is 0600; a stale socket file is replaced.
  Status listen_unix(const std::string& path);
  using ListenerId = std::uint64_t;
  /// Serves who connects to a socket that listens already in another network: over TLS only.
  ListenerId listen_for_pods(Fd socket);
  /// Connections that it has accepted stay.
  void stop_listening(ListenerId id);
  /// The listening ones; they stay open for as long as the server lives.
  std::vector<int> tcp_sockets() const;
  std::size_t connections() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::net
