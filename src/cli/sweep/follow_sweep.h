// Follows the runs of a sweep: a table that stays up to date on a terminal, a line for each run that ends elsewhere.
#pragma once

#include <string>

#include "cli/connect/session.h"
#include "cli/sweep/sweep_table.h"

namespace muster::cli {

/// Returns the selector of the jobs of a sweep.
std::string selector_of_sweep(const std::string& name);

/// Follows until all runs have ended, and prints the best one. Returns the exit code: 0 when all have succeeded. Ctrl-C
/// stops following, not the sweep.
int follow_sweep(Session& session, const std::string& name, const SweepMetric& metric);

/// Prints the table and the best run as they are now.
int show_sweep(Session& session, const std::string& name, const SweepMetric& metric);

/// The failure for a name that no sweep has, with the name that may have been meant.
Failure no_such_sweep(Session& session, const std::string& name);

}  // namespace muster::cli
