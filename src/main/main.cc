// muster: one binary. This file only assembles the command table; serve.cc is the composition root.
#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "cli/cli.h"
#include "main/commands.h"

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

bool is_named_arena(std::string_view program) {
  return program.substr(program.rfind('/') + 1) == "arena";
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> typed(argv + 1, argv + argc);
  if (argc > 0 && is_named_arena(argv[0])) return run_as_arena(typed);
  return muster::cli::run(kCommands, typed);
}
