// Shell completion, made from the table of commands: commands, their flags, kinds, and names asked of the server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::cli {

/// A command that completion offers although it is not in command_table().
struct OtherCommand {
  std::string_view name;
  std::string_view summary;
};

/// The script for bash, zsh or fish; BadRequest for another shell.
Result<std::string> completion_script(const std::string& shell, const std::vector<OtherCommand>& others);

}  // namespace muster::cli
