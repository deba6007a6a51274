// Prints logs as they are now.
#pragma once

#include <string>
#include <vector>

#include "cli/connect/session.h"
#include "client/logs/merged_logs.h"

namespace muster::cli {

/// Prints the log at the API's `target` to its end, with `prefix` before each line. Returns the exit code.
int print_log(Session& session, const std::string& target, const std::string& prefix);

/// Prints the logs as one, in the order of their lines' times. Returns the exit code of the first that fails.
int print_merged_logs(Session& session, const std::vector<client::LogToMerge>& logs, bool show_times);

}  // namespace muster::cli
