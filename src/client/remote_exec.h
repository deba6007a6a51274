// open_exec: a command in a container through the API server, over a WebSocket.
#pragma once

#include <memory>

#include "client/api_client.h"
#include "node/exec.h"

namespace muster::client {

/// Starts the command, or attaches when there is none. A request that the server refuses ends with its error in
/// on_exit. `api` and `rng` must outlive the session.
std::unique_ptr<node::ExecSession> open_exec(ApiClient& api, Rng& rng, const node::ExecRequest& request,
                                             node::ExecSink sink);

}  // namespace muster::client
