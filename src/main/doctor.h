// `muster doctor`: checks this machine and prints, one line per check, what works and how to fix the rest.
#pragma once

#include <string>
#include <vector>

#include "cli/output/checks.h"

namespace muster {

using cli::Check;
using cli::Health;

/// Runs all checks on the current state of the machine.
std::vector<Check> check_machine(const std::string& data_dir);

}  // namespace muster
