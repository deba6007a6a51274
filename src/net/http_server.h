// HTTP/1.1 over TCP with TLS and plain HTTP told apart by the first byte, and over a Unix socket.
//
// Bounds: head 64 KiB, body 3 MiB (413), 10 s for a head to arrive, idle keep-alive 5 min, connections capped (503).
// Plain HTTP is answered on loopback peers only. Any malformed request gets a 400 and a closed connection.
#pragma once

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

class HttpServer {
 public:
  HttpServer(EventLoop& loop, ServerTls tls, Handler handler);
  ~HttpServer();

  /// Returns the port, which matters when 0 was asked for. AlreadyExists-like text when it is taken: says by what call
  /// to find the holder and how to choose another.
  Result<int> listen(const std::string& host, int port);
  /// 0600; a stale socket file is replaced.
  Status listen_unix(const std::string& path);
  std::size_t connections() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::net
