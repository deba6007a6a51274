// Prints one log as it is now.
#pragma once

#include <string>

#include "cli/connect/session.h"

namespace muster::cli {

/// Prints the log at `target` (log_follow.h) with `prefix` before each line. Returns the exit code.
int print_log(Session& session, const std::string& target, const std::string& prefix);

}  // namespace muster::cli
