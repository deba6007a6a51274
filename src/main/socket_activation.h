// Sockets that systemd listens on for the engine (sd_listen_fds(3)).
#pragma once

#include <vector>

#include "base/fd.h"

namespace muster {

/// Returns the TCP sockets that $LISTEN_PID and $LISTEN_FDS name, in their order; none unless they are meant for this
/// process.
std::vector<Fd> sockets_of_systemd();

}  // namespace muster
