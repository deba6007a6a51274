// The command line as a whole, before any command has a look at it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace muster::cli {

/// `muster -n x get pods` is `muster get pods -n x`: flags that every command has may come before it, and are moved
/// behind. Another flag there is a BadRequest, but for --help, -h and --version, which stand for a command.
Result<std::vector<std::string>> command_first(const std::vector<std::string>& args);

}  // namespace muster::cli
