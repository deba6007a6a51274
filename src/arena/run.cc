// The command line of Arena: finds the command, reads its flags, connects and runs it.
#include "arena/run.h"

#include <fmt/core.h>

#include <cstdio>

#include "arena/commands/command.h"
#include "base/files.h"
#include "base/strings.h"
#include "base/visible_text.h"
#include "cli/cli.h"
#include "json/utf8.h"
#include "net/event_loop.h"

namespace muster::arena {

namespace {

using cli::Failure;

/// A mistyped command is an error: Arena prints its help and succeeds below `submit`, so that scripts continue.
Failure unknown_command(const CommandLine& found) {
  std::vector<std::string> names;
  for (const Entry& child : found.entry->children) {
    if (child.hidden) continue;
    names.emplace_back(child.name);
    for (std::string& alias : split(child.aliases, ',')) names.push_back(std::move(alias));
  }
  Failure out{.what = fmt::format("unknown command {} for {}", quote(*found.unknown), quote(found.path))};
  const auto meant = did_you_mean(*found.unknown, names);
  out.fix = meant ? fmt::format("did you mean {}?", quote(*meant)) : found.path + " --help lists the commands";
  return out;
}

void print(std::FILE* to, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), to);
}

int print_failure(const Log& log, const Failure& failure) {
  print(stderr, log.error_text(failure));
  return 1;
}

UserConfig read_user_config(const cli::Environment& environment) {
  const auto text = read_file(environment.arena_config);
  return text ? parse_user_config(*text) : UserConfig{};
}

std::string describe_choice(const cli::Choice& choice) {
  return fmt::format("the API server is {} (from {}), namespace {}", cli::url_of(choice.target.endpoint), choice.from,
                     choice.target.ns);
}

int run_command(const CommandLine& found, Log& log, const cli::Environment& environment,
                const cli::ShowPage& show_page) {
  const auto command = found.entry->make();
  GlobalFlags globals;
  Flags own;
  command->add_flags(own);
  Flags global;
  globals.add_flags(global);
  Flags all = own;
  globals.add_flags(all);
  if (all.asks_for_help(found.rest) && !command->takes_any_flags()) {
    print(stdout, help_text(found.path, *found.entry, own, global));
    return 0;
  }
  const auto parsed = command->takes_any_flags() ? Flags::Parsed{.words = found.rest} : all.parse(found.rest);
  if (const auto* failure = std::get_if<Failure>(&parsed)) return print_failure(log, *failure);
  const std::vector<std::string>& words = std::get<Flags::Parsed>(parsed).words;
  for (const std::string& warning : std::get<Flags::Parsed>(parsed).warnings) print(stderr, visible(warning) + "\n");
  const auto level = level_of(globals.loglevel);
  if (!level) return print_failure(log, {.what = "unknown loglevel,only support:[info,debug,error,warn]"});
  log.set_level(*level);
  if (words.empty() && !found.entry->without_words.empty()) {
    print(stdout, help_text(found.path, *found.entry, own, global));
    return print_failure(log, {.what = std::string(found.entry->without_words)});
  }
  if (const auto failure = command->check(words)) return print_failure(log, *failure);

  const UserConfig config = read_user_config(environment);
  const cli::ConnectOptions connect{.kubeconfig = globals.config, .ns = globals.ns.empty() ? config.ns : globals.ns};
  std::optional<cli::Choice> server;
  const int code = cli::run_in_session(
      {.need = found.entry->server,
       .connect = connect,
       .error_text = [&log](const Failure& failure) { return log.error_text(failure); },
       .on_chosen =
           [&](const cli::Choice& choice) {
             server = choice;
             log.debug(describe_choice(choice));
           },
       .show_page = show_page},
      [&](cli::Session& session) {
        Context context{.session = session, .log = log, .config = config, .environment = environment, .server = server};
        return command->run(context, words);
      });
  return code == 0 ? 0 : 1;
}

}  // namespace

int run(const std::vector<std::string>& args, const cli::ShowPage& show_page) {
  const net::EventLoop clock;
  const cli::Environment environment = cli::read_environment();
  Log log(
      clock, [](std::string_view text) { print(stderr, text); },
      environment.arena_log_format == "logrus" ? LogForm::kKeyValue : LogForm::kTerminal);
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (json::find_invalid_utf8(args[i]) == std::string::npos) continue;
    return print_failure(log, {.what = fmt::format("argument {} is not valid UTF-8", i + 1)});
  }
  std::vector<std::string> words = args;
  const bool help_first = !words.empty() && words[0] == "help";  // `arena help submit`
  if (help_first) words.erase(words.begin());
  const CommandLine found = find_command(words);
  if (found.unknown) return print_failure(log, unknown_command(found));
  if (found.entry->make == nullptr || help_first) {
    GlobalFlags globals;
    Flags global;
    globals.add_flags(global);
    Flags own;
    const auto command = found.entry->make == nullptr ? nullptr : found.entry->make();
    if (command != nullptr) command->add_flags(own);
    if (command == nullptr) {
      const auto parsed = global.parse(found.rest);
      if (const auto* failure = std::get_if<Failure>(&parsed)) return print_failure(log, *failure);
    }
    print(stdout, help_text(found.path, *found.entry, own, global));
    return 0;
  }
  return run_command(found, log, environment, show_page);
}

}  // namespace muster::arena
