// The command line as a whole, before it is dispatched to a command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"
#include "cli/print_error.h"

namespace muster::cli {

/// Turns `muster -n x get pods` into `muster get pods -n x`: flags common to all commands may precede the command and
/// are moved behind it. Any other flag there is a BadRequest, except --help, -h and --version, which act as commands.
Result<std::vector<std::string>> command_first(const std::vector<std::string>& args);

/// With the command that was probably meant.
Failure unknown_command(std::string_view word, const std::vector<std::string>& commands);

/// What `muster COMMAND --help` prints.
struct Help {
  std::string_view name;
  std::string_view summary;
  std::string_view usage;
  std::string_view examples;
  std::string_view notes = {};
};
std::string help_text(const Help& help, const Flags& own, const Flags& common = {});

}  // namespace muster::cli
