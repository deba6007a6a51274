// HTTP/1.1 client over TLS, plain TCP or a Unix socket; keeps connections alive and reuses them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "net/event_loop.h"
#include "net/http.h"

namespace muster::net {

/// Opens a TCP socket (IPv4) that is not connected yet, such as one of another network. `done` is never called inline.
using OpenSocket = std::function<void(UniqueFunction<void(Result<Fd>)> done)>;

/// Judges a new connection by its socket, which stays the caller's. `done` may be called inline.
using CheckConnection = std::function<void(int socket, UniqueFunction<void(Status)> done)>;

struct Endpoint {
  std::string host;
  int port = 0;
  std::string unix_path;  // when set, host and port only name the peer
  bool tls = true;
  std::string ca_pem;  // "": the system's authorities
  std::string client_certificate_pem;
  std::string client_key_pem;
  std::string server_name;  // "": same as host
  bool insecure_skip_verify = false;
  Duration connect_timeout = std::chrono::seconds(10);
  OpenSocket open_socket = nullptr;            // null: a socket of this process's own network
  CheckConnection check_connection = nullptr;  // before anything is sent on it; null: any connection will do
};

class HttpClient final : public Transport {
 public:
  HttpClient(EventLoop& loop, Endpoint endpoint);
  ~HttpClient() override;
  std::unique_ptr<Call> send(Request request, ResponseSink sink) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::net
