// open_port: a connection to a port of a pod through the API server, over a WebSocket. The server passes it on as
// kubectl's: SPDY/3.1 frames in messages, here with one connection in each WebSocket, so that none waits for another.
#pragma once

#include <memory>
#include <string_view>

#include "client/api_client.h"
#include "node/port_session.h"

namespace muster::client {

inline constexpr std::string_view kTunnelProtocol = "SPDY/3.1+portforward.k8s.io";

/// A request that the server refuses, and a port where nothing listens, end with an error in on_end. `api` and `rng`
/// must outlive the session.
std::unique_ptr<node::PortSession> open_port(Loop& loop, ApiClient& api, Rng& rng, const node::PortRequest& request,
                                             node::PortSink sink);

}  // namespace muster::client
