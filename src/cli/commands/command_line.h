// The command line as a whole, before it is dispatched to a command.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace muster::cli {

/// Turns `muster -n x get pods` into `muster get pods -n x`: flags common to all commands may precede the command and
/// are moved behind it. Any other flag there is a BadRequest, except --help, -h and --version, which act as commands.
Result<std::vector<std::string>> command_first(const std::vector<std::string>& args);

}  // namespace muster::cli
