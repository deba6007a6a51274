// Ends pods while no engine runs that could: found by what their shims left in DIR/pods. For `muster down`.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"

namespace muster::agent {

/// Stops every pod below the engine's folder as a deletion would, with its own grace period, and returns their number
/// once all have ended. Each is marked as stopped first, so that the next engine starts it again and nobody counts this
/// end as a failure. `on_waiting` is called once when there are any.
Result<std::size_t> stop_pods(const std::string& directory, const std::function<void(std::size_t)>& on_waiting);

/// Whether a shim runs below the engine's folder.
bool any_pod_runs(const std::string& directory);

}  // namespace muster::agent
