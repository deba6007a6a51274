// TCP ports of this machine: whether one is free, and who has connections at one.
#pragma once

#include <string>

#include "base/result.h"

namespace muster::linux_os {

/// Returns whether a server could listen on the port at every address now. Another process may take it a moment later.
bool is_port_free(int port);

/// Returns whether all connections that have this address and port at our end belong to this process. Before it
/// listened, another process may have; what that has accepted outlives its listening socket, and a browser may still
/// send requests there. A wildcard or a name stands for all addresses.
Result<bool> has_all_connections(const std::string& host, int port);

}  // namespace muster::linux_os
