// Whether a TCP port can be had on this machine.
#pragma once

namespace muster::linux_os {

/// True when a server could listen there on every address now. Somebody may take it a moment later.
bool is_port_free(int port);

}  // namespace muster::linux_os
