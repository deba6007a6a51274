#include "main/engine_table.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "cli/completion.h"
#include "cli/print_error.h"
#include "main/backup.h"
#include "main/doctor.h"
#include "main/engine_commands.h"
#include "main/serve.h"

namespace muster {
namespace {

class Completion final : public EngineCommand {
 public:
  void add_flags(cli::Flags&) override {}
  int run(const std::vector<std::string>& words) override {
    if (words.size() != 1) {
      return cli::print_error(cli::usage_failure("completion takes one shell", "muster completion bash | zsh | fish"));
    }
    const auto script = cli::completion_script(words[0]);
    if (!script) return cli::print_error(script.error());
    fmt::print("{}", *script);
    return cli::kExitOk;
  }
};

std::unique_ptr<EngineCommand> make_completion() {
  return std::make_unique<Completion>();
}

constexpr EngineEntry kEngineCommands[] = {
    {{"up", "start the engine in the background", "muster up [--listen HOST:PORT] [--config FILE] [--data-dir DIR]",
      "  muster up\n"
      "  muster up --listen 0.0.0.0:8765        for other machines too\n"
      "  muster up --data-dir /tmp/try          an engine of its own, with its own objects\n",
      "Returns when the engine answers, and says where it is. One that runs already is left alone. Its log is\n"
      "DIR/engine.log.\n"},
     0,
     make_up},
    {{"down", "stop it; jobs go on unless --stop-jobs", "muster down [--stop-jobs | --purge] [--data-dir DIR]",
      "  muster down                            jobs go on, and the next muster up finds them again\n"
      "  muster down --stop-jobs\n"
      "  muster down --purge                    nothing is left, volumes included\n"},
     0,
     make_down},
    {{"status", "where the engine is and what it runs", "muster status [--data-dir DIR]",
      "  muster status                          exit code 0 when it runs, 6 when it does not\n"},
     0,
     make_status},
    {{"serve", "the engine in the foreground",
      "muster serve [--listen HOST:PORT] [--config FILE] [--data-dir DIR] [--accept-data-loss]",
      "  muster serve\n"
      "  muster serve --listen 127.0.0.1:0      a free port; the line \"ready URL\" says which\n",
      "For systemd and containers. Prints \"ready URL\" when it answers and logs to stderr; SIGTERM and Ctrl-C stop "
      "it,\n"
      "pods go on.\n"},
     0,
     make_serve},
    {{"backup", "copy the engine's database into a file, while it runs or not",
      "muster backup [FILE] [--force] [--data-dir DIR]",
      "  muster backup                          ./muster-20261116T010203Z.db\n"
      "  muster backup /mnt/nas/muster.db\n"
      "  muster backup --force latest.db        in the place of an older one\n",
      "The copy is checked row by row before it gets its name. It holds every object, Secrets included; volumes and\n"
      "logs are not in it.\n"},
     1,
     make_backup},
    {{"restore", "put such a copy in the place of the database", "muster restore FILE [--data-dir DIR]",
      "  muster restore /mnt/nas/muster.db\n",
      "The engine must be stopped (muster down). FILE comes from muster backup, or is one of the snapshots that the\n"
      "engine makes by itself in DIR/store/snapshots. The old database is kept beside the new one. Revisions go on "
      "from\n"
      "beyond all that clients have seen, so that every watch starts anew.\n"},
     1,
     make_restore},
    {{"doctor", "check this machine, and say how to fix what is wrong", "muster doctor [--data-dir DIR]",
      "  muster doctor                          exit code 1 when something is wrong\n",
      "Looks at the engine, its folder and configuration, Python and PyTorch, the sandbox, the port and the clock. "
      "Changes\n"
      "nothing.\n"},
     0,
     make_doctor},
    {{"completion", "print the completion script of bash, zsh or fish", "muster completion bash | zsh | fish",
      "  source <(muster completion bash)                                     in ~/.bashrc\n"
      "  source <(muster completion zsh)                                      in ~/.zshrc\n"
      "  muster completion fish >~/.config/fish/completions/muster.fish\n"},
     1,
     make_completion},
};

}  // namespace

std::span<const EngineEntry> engine_table() {
  return kEngineCommands;
}

const EngineEntry* find_engine_command(std::string_view name) {
  const auto* found =
      std::ranges::find(kEngineCommands, name, [](const EngineEntry& entry) { return entry.help.name; });
  return found == std::end(kEngineCommands) ? nullptr : found;
}

int run_engine_command(const EngineEntry& entry, const std::vector<std::string>& args) {
  const auto command = entry.make();
  cli::Flags flags;
  command->add_flags(flags);
  if (cli::Flags::asks_for_help(args)) {
    fmt::print("{}", cli::help_text(entry.help, flags));
    return cli::kExitOk;
  }
  const auto words = flags.parse(args);
  if (!words) {
    return cli::print_error(
        cli::usage_failure(words.error().message, fmt::format("muster {} --help lists the flags", entry.help.name)));
  }
  if (words->size() > entry.most_words) {
    return cli::print_error(cli::usage_failure(
        fmt::format("{}: unexpected argument {}", entry.help.name, quote((*words)[entry.most_words])),
        std::string(entry.help.usage)));
  }
  return command->run(*words);
}

}  // namespace muster
