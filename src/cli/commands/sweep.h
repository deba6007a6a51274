// sweep: runs a script with many combinations of parameters, each as a job of `muster run`.
#pragma once

#include <memory>

#include "cli/commands/commands.h"

namespace muster::cli {

std::unique_ptr<Command> make_sweep();
std::unique_ptr<Command> make_sweep(RunFrom from);

}  // namespace muster::cli
