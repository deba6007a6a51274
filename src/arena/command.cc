#include "arena/command.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "base/strings.h"

namespace muster::arena {

UserConfig parse_user_config(std::string_view text) {
  UserConfig out;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view entry = trim(line);
    const std::size_t equals = entry.find('=');
    if (entry.starts_with('#') || equals == std::string_view::npos) continue;
    const std::string_view key = trim(entry.substr(0, equals));
    const std::string value(trim(entry.substr(equals + 1)));
    if (key == "namespace") out.ns = value;
    if (key == "tfjob_role_sequence") out.tf_role_sequence = value;
    if (key == "imagePullSecrets" && !value.empty()) out.image_pull_secrets = split(value, ',');
  }
  return out;
}

void GlobalFlags::add_flags(Flags& flags) {
  flags.add("loglevel", &loglevel, "Set the logging level. One of: debug|info|warn|error");
  flags.set_choices("loglevel", {"debug", "info", "warn", "error"});
  flags.add("config", &config, "Path to a kube config");
  flags.add("namespace", &ns, "the namespace of the job", 'n');
  flags.add("arena-namespace", &arena_namespace, "The namespace of arena system service, like tf-operator");
  flags.add_old_name("arena-namespace", "arenaNamespace");
  flags.add("pprof", &pprof, "accepted for compatibility; nothing is profiled");
  flags.add("trace", &trace, "accepted for compatibility; nothing is traced");
  flags.add("helm-binary", &helm_binary, "accepted for compatibility; no chart is rendered");
  flags.add("help", &help, "help for this command", 'h');
}

cli::Failure Context::failure_of(const Error& error) const {
  const bool silent_server = error.reason == Reason::kServiceUnavailable && server;
  return silent_server ? cli::unreachable(*server, error) : cli::failure_of(error);
}

std::optional<cli::Failure> Command::check(const std::vector<std::string>& /*words*/) {
  return std::nullopt;
}

bool Entry::is_called(std::string_view word) const {
  const auto other = split(aliases, ',');
  return word == name || (!word.empty() && std::ranges::find(other, word) != other.end());
}

Layout layout_of(const std::string& output, const cli::Environment& environment) {
  if (environment.arena_layout == "modern") return Layout::kModern;
  if (environment.arena_layout == "classic") return Layout::kClassic;
  return output == "wide" ? Layout::kModern : Layout::kClassic;
}

std::optional<cli::Failure> check_output(const std::string& output) {
  if (output.empty() || output == "wide" || output == "json" || output == "yaml") return std::nullopt;
  return cli::Failure{.what = "unknown output format,only support:[wide|json|yaml]"};
}

namespace {

std::string local_time_text(Time time) {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace

Viewer viewer_of(Context& context, const std::string& output) {
  return {.layout = layout_of(output, context.environment),
          .now = context.session.loop().now(),
          .local_time = local_time_text};
}

bool wait_for_refresh(Context& context) {
  constexpr Duration kRefresh = std::chrono::seconds(2);
  const auto waited = context.session.wait_until([] { return false; }, context.session.loop().mono() + kRefresh);
  return waited != cli::Session::Waited::kInterrupted;
}

namespace {

const Entry& root() {
  static const Entry entry{.name = "arena",
                           .aliases = "",
                           .summary = "arena is the command line interface to Arena",
                           .usage = "",
                           .children = commands()};
  return entry;
}

/// Returns the position of the first word that is neither a flag nor the value of one; the size when there is none.
std::size_t first_word(const std::vector<std::string>& args) {
  GlobalFlags unused;
  Flags global;
  unused.add_flags(global);
  std::size_t at = 0;
  while (at < args.size() && args[at].size() > 1 && args[at][0] == '-' && args[at] != "--") {
    at += words_of_flag(args, at, global.list());
  }
  return at < args.size() && args[at] == "--" ? args.size() : at;
}

}  // namespace

CommandLine find_command(const std::vector<std::string>& args) {
  CommandLine found{.entry = &root(), .rest = args};
  while (!found.entry->children.empty()) {
    const std::size_t at = first_word(found.rest);
    if (at == found.rest.size()) return found;
    const std::string word = found.rest[at];
    const auto children = found.entry->children;
    const auto child = std::ranges::find_if(children, [&](const Entry& one) { return one.is_called(word); });
    if (child == children.end()) {
      found.unknown = word;
      return found;
    }
    found.entry = &*child;
    found.path += fmt::format(" {}", child->name);
    found.rest.erase(found.rest.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return found;
}

std::string help_text(const std::string& path, const Entry& entry, const Flags& own, const Flags& global) {
  std::string out = fmt::format("{}\n\nUsage:\n", entry.summary);
  if (entry.make != nullptr) out += fmt::format("  {} {}\n", path, entry.usage);
  if (!entry.children.empty()) out += fmt::format("  {} [command]\n", path);
  if (!entry.aliases.empty()) {
    out += fmt::format("\nAliases:\n  {}, {}\n", entry.name, join(split(entry.aliases, ','), ", "));
  }
  if (!entry.children.empty()) {
    out += "\nAvailable Commands:\n";
    for (const Entry& child : entry.children) {
      if (!child.hidden) out += fmt::format("  {:<12} {}\n", child.name, child.summary);
    }
  }
  if (const std::string flags = own.help(); !flags.empty()) out += "\nFlags:\n" + flags;
  if (const std::string flags = global.help(); !flags.empty()) out += "\nGlobal Flags:\n" + flags;
  if (!entry.children.empty())
    out += fmt::format("\nUse \"{} [command] --help\" for more information about a command.\n", path);
  return out;
}

}  // namespace muster::arena
