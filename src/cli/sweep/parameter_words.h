// The parameters on a command line: flags that are not known, such as `--lr 0.1,0.01`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/flags/flags.h"

namespace muster::cli {

/// Returns the arguments with `--param lr=0.1,0.01` instead of `--lr 0.1,0.01`, up to the script. BadRequest for a name
/// that looks like a mistyped flag.
Result<std::vector<std::string>> with_parameter_flags(const std::vector<std::string>& args,
                                                      const std::vector<Flags::Listed>& known);

}  // namespace muster::cli
