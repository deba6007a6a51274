#include "cli/run/run_from.h"

#include <filesystem>

#include "cli/connect/environment.h"

namespace muster::cli {

RunFrom run_from_here() {
  const Environment environment = read_environment();
  return {.working_dir = std::filesystem::current_path().string(),
          .home = environment.home,
          .python_environment = environment.python_environment,
          .path = environment.path,
          .data_dir = environment.data_dir,
          .variables = all_variables()};
}

python::Search python_search(const RunFrom& from, const std::string& folder) {
  return {.active = from.python_environment, .start = folder, .home = from.home, .path = from.path};
}

}  // namespace muster::cli
