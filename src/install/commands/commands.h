// install, uninstall, check and verify: Muster on a cluster, as rows of the command table.
#pragma once

#include <memory>
#include <span>

#include "cli/commands/command_table.h"

namespace muster::install {

std::span<const cli::Entry> cluster_commands();

std::unique_ptr<cli::Command> make_install();
std::unique_ptr<cli::Command> make_uninstall();
std::unique_ptr<cli::Command> make_check();
std::unique_ptr<cli::Command> make_verify();

}  // namespace muster::install
