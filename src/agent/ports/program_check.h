// Whether a connection leads to a program of a pod. In the network of the machine any program can listen at the address
// of a pod, so a secret is sent only after this check.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "linux/tcp_port.h"

namespace muster::agent {

/// Fails unless all that can receive what is sent on this connection of the machine's network is held by `init`, the
/// first process of the pod, and its descendants. Blocks while it looks at all processes of the machine.
Status check_program(const linux_os::TcpEnds& ends, pid_t init);

}  // namespace muster::agent
