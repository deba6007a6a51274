// HTTP/1.1 over TCP with TLS and plain HTTP told apart by the first byte, and over a Unix socket.
//
// Bounds: head 64 KiB, body 3 MiB (413), 10 s for a head to arrive, idle keep-alive 5 min, connections capped (503).
// Plain HTTP is answered on loopback peers only. Any malformed request gets a 400 and a closed connection.
//
// A connection begins as a stranger's and stops being one when the head of a request shows credentials. Strangers are
// few, have one deadline for everything up to the end of that head, and make room for newcomers; so whoever has
// credentials can always present them. What a stranger asks is answered without reading a body.
#pragma once

#include <functional>
#include <memory>
#include <string>

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
  // Over TCP, and again over the Unix socket.
  std::size_t connections = 4096;
  std::size_t strangers = 512;                                  // beside them; each holds a head at most
  Duration stranger_patience = std::chrono::milliseconds(500);  // before one makes room for a newcomer
  Duration head_timeout = std::chrono::seconds(10);             // for a stranger from the start, TLS included
  Duration idle_timeout = std::chrono::minutes(5);
  Duration write_timeout = std::chrono::seconds(60);  // for a peer to take 256 KiB
  Duration linger_timeout = std::chrono::seconds(2);  // for a refused request to finish arriving
  std::size_t body_bytes_per_second = 1024;           // below this, after head_timeout, the body is too slow
};

/// Whether the head of a request shows credentials. The handler still decides what its sender may do.
using KnowsSender = std::function<bool(const Request& head)>;

class HttpServer {
 public:
  /// Without a certificate there is no TLS. A certificate that cannot be used makes listen() fail. Without `knows`
  /// nobody is a stranger.
  HttpServer(EventLoop& loop, ServerTls tls, Handler handler, ServerLimits limits = {}, KnowsSender knows = nullptr);
  ~HttpServer();

  /// Returns the port, which matters when 0 was asked for. AlreadyExists-like text when it is taken: says by what call
  /// to find the holder and how to choose another. 127.0.0.1, ::1 and localhost all mean both loopback addresses, where
  /// the machine has both: otherwise somebody else could answer to the other one.
  Result<int> listen(const std::string& host, int port);
  /// 0600; a stale socket file is replaced.
  Status listen_unix(const std::string& path);
  std::size_t connections() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::net
