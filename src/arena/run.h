// The program under the name arena.
#pragma once

#include <string>
#include <vector>

#include "cli/connect/show_page.h"

namespace muster::arena {

/// Runs the binary under the name arena. Returns the exit code: 0 or 1.
int run(const std::vector<std::string>& args, const cli::ShowPage& show_page);

}  // namespace muster::arena
