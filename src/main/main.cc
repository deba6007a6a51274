// muster: one binary. This file only assembles the command table; serve.cc is the composition root.
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "arena/code_sync/git_sync.h"
#include "arena/run.h"
#include "cli/cli.h"
#include "install/commands/commands.h"
#include "main/commands.h"
#include "main/show_page.h"
#include "mpi/program.h"
#include "python/torchrun.h"

namespace {

const muster::cli::Section kCommands[] = {{"Engine", muster::engine_commands()},
                                          {"Cluster", muster::install::cluster_commands()},
                                          {"Jobs and other objects", muster::cli::object_commands()}};

std::vector<std::string> environment() {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) result.emplace_back(*entry);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> typed(argv + 1, argv + argc);
  const std::string_view path = argc > 0 ? argv[0] : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name == "arena") return muster::arena::run(typed, muster::show_page);
  if (name == muster::python::kTorchrun) return muster::python::torchrun_main(typed, environment());
  if (const auto pod_program = muster::mpi::find_pod_program(name)) {
    return pod_program({.args = typed, .environment = environment()});
  }
  if (const auto pod_program = muster::arena::find_pod_program(name)) return pod_program(typed, environment());
  return muster::cli::run(kCommands, typed, muster::show_page);
}
