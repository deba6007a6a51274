// Where a command is typed that takes files of this machine.
#pragma once

#include <map>
#include <string>

#include "python/choose.h"

namespace muster::cli {

struct RunFrom {
  std::string working_dir;
  std::string home;
  std::string python_environment = {};                // the active one; "": none
  std::string path = {};                              // the user's PATH
  std::string data_dir = {};                          // the engine's; "": not known
  std::map<std::string, std::string> variables = {};  // of the shell
};

RunFrom run_from_here();

/// How to find the Python of a script in that folder.
python::Search python_search(const RunFrom& from, const std::string& folder);

}  // namespace muster::cli
