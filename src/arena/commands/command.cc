#include "arena/commands/command.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"

namespace muster::arena {

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

std::optional<cli::Failure> Command::check(const std::vector<std::string>& /*words*/) {
  return std::nullopt;
}

bool Entry::is_called(std::string_view word) const {
  const auto other = split(aliases, ',');
  return word == name || (!word.empty() && std::ranges::find(other, word) != other.end());
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
