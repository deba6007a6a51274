// Exec and attach on this node: connects the streams of a container's process, which the shim hands over as file
// descriptors, with a node::ExecSession.
#pragma once

#include <functional>
#include <memory>

#include "agent/shim/shim_channel.h"
#include "base/ports.h"
#include "node/exec.h"

namespace muster::agent {

/// `channel` returns the connection to the pod's shim, or null while there is none.
using FindChannel = std::function<ShimChannel*()>;

Result<std::unique_ptr<node::ExecSession>> begin_exec(Loop& loop, FindChannel channel, const node::ExecRequest& request,
                                                      node::ExecSink sink);
Result<std::unique_ptr<node::ExecSession>> begin_attach(Loop& loop, FindChannel channel,
                                                        const node::ExecRequest& request, node::ExecSink sink);

}  // namespace muster::agent
