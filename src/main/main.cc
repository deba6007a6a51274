// muster: one binary. This file only finds the command; serve.cc is the composition root.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/flags.h"
#include "cli/print_error.h"
#include "main/backup.h"
#include "main/doctor.h"
#include "main/engine_commands.h"
#include "main/serve.h"

namespace {

struct EngineCommand {
  std::string_view name;
  std::string_view summary;
  int (*run)(const std::vector<std::string>&);
};

int completion_command(const std::vector<std::string>& args);

constexpr EngineCommand kEngineCommands[] = {
    {"up", "start the engine in the background", muster::up_command},
    {"down", "stop it; jobs go on unless --stop-jobs", muster::down_command},
    {"status", "where the engine is and what it runs", muster::status_command},
    {"serve", "the engine in the foreground", muster::serve_command},
    {"backup", "copy the engine's database into a file, while it runs or not", muster::backup_command},
    {"restore", "put such a copy in the place of the database", muster::restore_command},
    {"doctor", "check this machine, and say how to fix what is wrong", muster::doctor_command},
    {"completion", "print the completion script of bash, zsh or fish", completion_command},
};

constexpr const char* kCompletionHelp = R"(completion: print the completion script of a shell

Usage:
  muster completion bash | zsh | fish

Examples:
  source <(muster completion bash)                                     in ~/.bashrc
  source <(muster completion zsh)                                      in ~/.zshrc
  muster completion fish >~/.config/fish/completions/muster.fish
)";

int completion_command(const std::vector<std::string>& args) {
  if (muster::cli::Flags::asks_for_help(args)) {
    fmt::print("{}", kCompletionHelp);
    return 0;
  }
  if (args.size() != 1) {
    return muster::cli::print_error(
        muster::cli::usage_failure("completion takes one shell", "muster completion bash | zsh | fish"));
  }
  std::vector<muster::cli::OtherCommand> others;
  for (const EngineCommand& command : kEngineCommands) others.push_back({command.name, command.summary});
  const auto script = muster::cli::completion_script(args[0], others);
  if (!script) return muster::cli::print_error(script.error());
  fmt::print("{}", *script);
  return 0;
}

void print_help(std::FILE* to) {
  fmt::print(to, "muster runs distributed training jobs and speaks the Kubernetes API.\n\nEngine:\n");
  for (const EngineCommand& command : kEngineCommands) fmt::print(to, "  {:<10} {}\n", command.name, command.summary);
  fmt::print(to, "\nJobs and other objects:\n{}\nMore about one: muster COMMAND --help\n", muster::cli::command_list());
}

constexpr const char* kArenaHelp = R"(arena is Arena's face of muster. For now it knows:
  arena version    of this program and of the server
  arena help       this text
Jobs are submitted as files: muster create -f FILE; muster help lists all commands.
)";

/// The binary under the name arena. Exit codes are Arena's: 0 and 1.
int run_as_arena(const std::vector<std::string>& args) {
  const std::string word = args.empty() ? "help" : args[0];
  if (word == "version") return muster::cli::run(args) == 0 ? 0 : 1;
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
  std::vector<std::string> args(argv + 1, argv + argc);
  if (argc > 0 && is_named_arena(argv[0])) return run_as_arena(args);
  if (args.empty() || args[0] == "help" || args[0] == "--help" || args[0] == "-h") {
    print_help(args.empty() ? stderr : stdout);
    return args.empty() ? 2 : 0;
  }
  const std::string word = args[0];
  if (muster::cli::knows(word)) return muster::cli::run(args);
  const auto* command = std::ranges::find(kEngineCommands, word, &EngineCommand::name);
  if (command == std::end(kEngineCommands)) {
    fmt::print(stderr, "error: unknown command {}\n  fix: muster help lists the commands\n", muster::quote(word));
    return 2;
  }
  args.erase(args.begin());
  return command->run(args);
}
