// RemoteTransport sends requests to a server in another process. It adds the current credential, and retries where that
// is safe: an overloaded or restarting server is not an error yet.
#pragma once

#include <functional>
#include <memory>

#include "client/credentials.h"
#include "net/http.h"

namespace muster::client {

/// Retries a request
/// - once, with a new credential, when the server answers 401 and there is a new one;
/// - after 429, and after 503 with Retry-After: the server did nothing and says when to retry; unless the caller wants
///   to wait itself (net::Request::one_answer);
/// - when the connection could not be established, to a server that has answered before: it may be restarting;
/// - when the connection was lost before the response, if the request is idempotent (net::may_repeat);
/// at most ten times and for half a minute, with growing, jittered waits. Then the last response or error counts. A
/// server that has never answered may be none, so it is given up after three seconds.
class RemoteTransport final : public net::Transport {
 public:
  /// Makes a transport whose connections use this client certificate; the token is added to requests here.
  using Connect = std::function<std::unique_ptr<net::Transport>(const Credential& credential)>;

  RemoteTransport(Loop& loop, Rng& rng, std::unique_ptr<CredentialSource> credentials, Connect connect);
  ~RemoteTransport() override;
  std::unique_ptr<net::Call> send(net::Request request, net::ResponseSink sink) override;

 private:
  struct Shared;
  class Flight;
  class FlightCall;
  std::shared_ptr<Shared> shared_;
};

}  // namespace muster::client
