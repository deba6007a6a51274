// The commands that run the engine or look at this machine, as a section of the command table (cli/command_table.h).
#pragma once

#include <memory>
#include <span>

#include "cli/command_table.h"

namespace muster {

std::span<const cli::Entry> engine_commands();

std::unique_ptr<cli::Command> make_up();
std::unique_ptr<cli::Command> make_down();
std::unique_ptr<cli::Command> make_status();
/// The engine in the foreground. The one place that knows every module and wires them.
std::unique_ptr<cli::Command> make_serve();
/// The database as one file, and back.
std::unique_ptr<cli::Command> make_backup();
std::unique_ptr<cli::Command> make_restore();
std::unique_ptr<cli::Command> make_doctor();

}  // namespace muster
