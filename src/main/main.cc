// muster: one binary. This file only assembles the command table; serve.cc is the composition root.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "cli/cli.h"
#include "main/commands.h"
#include "mpi/program.h"

namespace {

const muster::cli::Section kCommands[] = {{"Engine", muster::engine_commands()},
                                          {"Jobs and other objects", muster::cli::object_commands()}};

constexpr const char* kArenaHelp = R"(arena is Arena's face of muster. For now it knows:
  arena version    of this program and of the server
  arena help       this text
Jobs are submitted as files: muster create -f FILE; muster help lists all commands.
)";

/// Runs the binary under the name arena. Exit codes are Arena's: 0 and 1.
int run_as_arena(const std::vector<std::string>& args) {
  const std::string word = args.empty() ? "help" : args[0];
  if (word == "version") return muster::cli::run(kCommands, args) == 0 ? 0 : 1;
  if (word == "help" || word == "--help" || word == "-h") {
    fmt::print("{}", kArenaHelp);
    return 0;
  }
  fmt::print(stderr,
             "error: arena {} does not exist yet\n  fix: muster create -f FILE submits a job; arena help lists what "
             "there is\n",
             muster::quote(word));
  return 1;
}

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
  if (name == "arena") return run_as_arena(typed);
  if (const auto pod_program = muster::mpi::find_pod_program(name)) {
    return pod_program({.args = typed, .environment = environment()});
  }
  return muster::cli::run(kCommands, typed);
}
