// TCP ports of this machine: whether one is free, and who has connections at one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster::linux_os {

/// Returns whether a server could listen on the port at every address now. Another process may take it a moment later.
bool is_port_free(int port);

/// Returns whether all connections that have this address and port at our end belong to this process. Before it
/// listened, another process may have; what that has accepted outlives its listening socket, and a browser may still
/// send requests there. A wildcard or a name stands for all addresses.
Result<bool> has_all_connections(const std::string& host, int port);

/// A connection over IPv4.
struct TcpEnds {
  std::string address;  // of the socket that has it
  int port = 0;
  std::string peer_address;
  int peer_port = 0;
};
Result<TcpEnds> ends_of(int socket);

/// Returns the inodes of the sockets to which what this end sends can go, for a connection between processes of this
/// machine: the other end, or, as long as no process has accepted the connection, all sockets that listen there. Who
/// listens there now may not be who listened when the connection was made.
Result<std::vector<std::uint64_t>> receivers_of(const TcpEnds& ends);

}  // namespace muster::linux_os
