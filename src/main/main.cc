// muster: one binary. This file only finds the command; serve.cc is the composition root.
#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "cli/cli.h"
#include "cli/command_line.h"
#include "cli/completion.h"
#include "cli/print_error.h"
#include "main/engine_table.h"

namespace {

std::vector<std::string> all_names() {
  std::vector<std::string> out = muster::cli::command_names();
  for (const muster::EngineEntry& entry : muster::engine_table()) out.emplace_back(entry.help.name);
  out.emplace_back("help");
  return out;
}

void print_help(std::FILE* to) {
  fmt::print(to, "muster runs distributed training jobs and speaks the Kubernetes API.\n\nEngine:\n");
  for (const muster::EngineEntry& entry : muster::engine_table()) {
    fmt::print(to, "  {:<10} {}\n", entry.help.name, entry.help.summary);
  }
  fmt::print(to,
             "\nJobs and other objects:\n{}\nMore about one: muster help COMMAND\n"
             "-n NAMESPACE, --context and --kubeconfig may stand before the command, too.\n",
             muster::cli::command_list());
}

int complete(const std::vector<std::string>& words) {
  std::vector<muster::cli::Completable> others{{"help", "what a command does", {}}};
  for (const muster::EngineEntry& entry : muster::engine_table()) {
    muster::cli::Flags flags;
    const auto command = entry.make();
    command->add_flags(flags);
    others.push_back({entry.help.name, entry.help.summary, flags.list()});
  }
  return muster::cli::complete(words, std::move(others));
}

int run_command(const std::vector<std::string>& args) {
  const std::string& word = args[0];
  const std::vector<std::string> rest(args.begin() + 1, args.end());
  if (word == muster::cli::kCompleteCommand) return complete(rest);
  if (muster::cli::knows(word)) return muster::cli::run(args);
  if (const auto* entry = muster::find_engine_command(word)) return muster::run_engine_command(*entry, rest);
  return muster::cli::print_error(muster::cli::unknown_command(word, all_names()));
}

/// `help` alone, or `help COMMAND`.
int help(const std::vector<std::string>& words) {
  const bool about_itself = words.empty() || words[0].starts_with('-') || words[0] == "help";
  if (!about_itself) return run_command({words[0], "--help"});
  print_help(stdout);
  return 0;
}

constexpr const char* kArenaHelp = R"(arena is Arena's face of muster. For now it knows:
  arena version    of this program and of the server
  arena help       this text
Jobs are submitted as files: muster create -f FILE; muster help lists all commands.
)";

/// Runs the binary under the name arena. Exit codes are Arena's: 0 and 1.
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
  const std::vector<std::string> typed(argv + 1, argv + argc);
  if (argc > 0 && is_named_arena(argv[0])) return run_as_arena(typed);
  const auto args = muster::cli::command_first(typed);
  if (!args) {
    return muster::cli::print_error(muster::cli::usage_failure(
        args.error().message, "muster [-n NAMESPACE] COMMAND …; muster help lists the commands"));
  }
  if (args->empty()) {
    print_help(stderr);
    return muster::cli::kExitUsage;
  }
  const std::string& word = args->front();
  if (word == "help" || word == "--help" || word == "-h") return help({args->begin() + 1, args->end()});
  if (word == "--version") return muster::cli::run({"version", "--client"});
  return run_command(*args);
}
