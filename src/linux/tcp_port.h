// Checks whether a TCP port is free on this machine.
#pragma once

namespace muster::linux_os {

/// Returns whether a server could listen on the port at every address now. Another process may take it a moment later.
bool is_port_free(int port);

}  // namespace muster::linux_os
