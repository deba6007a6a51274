// RemoteTransport: requests to a server that is elsewhere. Shows the credential of the moment, and asks again where
// that is safe: a server that is overloaded or restarts is no error yet.
#pragma once

#include <functional>
#include <memory>

#include "client/credentials.h"
#include "net/http.h"

namespace muster::client {

/// Sends a request again
/// - once, with a new credential, when the server answers 401 and there is one;
/// - after 429, and 503 with Retry-After: the server did nothing and says when to come back;
/// - when the connection could not be made, to a server that has answered before: it may be restarting;
/// - when the connection was lost before the answer, if doing it twice is the same as doing it once (net::may_repeat);
/// ten times and half a minute at most, with growing waits spread by chance. Then the last answer or error counts.
class RemoteTransport final : public net::Transport {
 public:
  /// A transport for connections with this client certificate; requests get their token here.
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
