// How the agent connects to a port of a pod: with a socket of the pod's network.
#pragma once

#include <functional>
#include <string>

#include "base/fd.h"
#include "base/ports.h"
#include "base/result.h"

namespace muster::agent {

/// Opens an unconnected TCP socket (IPv4) of the pod's network. `done` is never called inline.
using OpenPodSocket = std::function<void(const std::string& uid, UniqueFunction<void(Result<Fd>)> done)>;

/// Connects to a port of the pod. `done` gets a non-blocking socket, from the loop and never inline. Gives up after the
/// timeout.
void connect_to_pod(Loop& loop, const OpenPodSocket& open, const std::string& uid, const std::string& address, int port,
                    Duration timeout, UniqueFunction<void(Result<Fd>)> done);

/// Sockets of this process's own network.
OpenPodSocket host_sockets(Loop& loop);

}  // namespace muster::agent
