// The commands that run the engine or inspect this machine, as a section of the command table
// (cli/commands/command_table.h).
#pragma once

#include <memory>
#include <span>

#include "cli/commands/command_table.h"

namespace muster {

std::span<const cli::Entry> engine_commands();

std::unique_ptr<cli::Command> make_up();
std::unique_ptr<cli::Command> make_down();
std::unique_ptr<cli::Command> make_status();
std::unique_ptr<cli::Command> make_console();
/// Runs the engine in the foreground. This is the only place that knows all modules and connects them.
std::unique_ptr<cli::Command> make_serve();
/// Writes the database to one file, and restores it.
std::unique_ptr<cli::Command> make_backup();
std::unique_ptr<cli::Command> make_restore();
std::unique_ptr<cli::Command> make_doctor();
/// Runs the controllers against a cluster, in the foreground.
std::unique_ptr<cli::Command> make_operator();

}  // namespace muster
