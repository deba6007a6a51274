// The command line as a whole, before any command has a look at it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"
#include "cli/print_error.h"

namespace muster::cli {

/// `muster -n x get pods` is `muster get pods -n x`: flags that every command has may come before it, and are moved
/// behind. Another flag there is a BadRequest, but for --help, -h and --version, which stand for a command.
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
