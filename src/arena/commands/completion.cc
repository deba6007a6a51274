// arena completion: the scripts of bash and zsh, and the hidden command that they call.
#include "cli/commands/completion.h"

#include <fmt/core.h>

#include <algorithm>

#include "arena/commands/commands.h"
#include "arena/requests/find_jobs.h"
#include "base/strings.h"

namespace muster::arena {

namespace {

using cli::Candidate;

class Completion final : public Command {
 public:
  void add_flags(Flags& /*flags*/) override {}

  std::optional<cli::Failure> check(const std::vector<std::string>& words) override {
    if (words[0] == "bash" || words[0] == "zsh") return std::nullopt;
    return cli::Failure{.what = fmt::format("Invalid shell '{}'. The supported shells are bash and zsh.", words[0])};
  }

  int run(Context& context, const std::vector<std::string>& words) override {
    const auto script = cli::completion_script(words[0], "arena");
    if (!script) return context.fail(script.error());
    context.session.out_exact(*script);
    return 0;
  }
};

/// Prints candidates for the last word of a command line. A server is asked for the names of jobs only.
class Complete final : public Command {
 public:
  void add_flags(Flags& /*flags*/) override {}
  bool takes_any_flags() const override { return true; }

  int run(Context& context, const std::vector<std::string>& words) override {
    std::vector<std::string> typed = words;
    if (!typed.empty() && typed.front() == "--") typed.erase(typed.begin());
    if (typed.empty()) return 0;
    const std::vector<std::string> before(typed.begin(), typed.end() - 1);
    const CommandLine line = find_command(before);
    std::vector<Candidate> candidates;
    if (line.entry->make == nullptr) {
      for (const Entry& child : line.entry->children) {
        if (!child.hidden) candidates.push_back({std::string(child.name), std::string(child.summary)});
      }
    } else {
      candidates = of_command(context, *line.entry, before, typed.back());
    }
    context.session.out(cli::candidate_lines({.typed = typed.back()}, candidates));
    return 0;
  }

 private:
  static std::vector<Candidate> of_command(Context& context, const Entry& entry, const std::vector<std::string>& before,
                                           const std::string& word) {
    const auto command = entry.make();
    Flags flags;
    command->add_flags(flags);
    GlobalFlags globals;
    globals.add_flags(flags);
    const std::vector<Flags::Listed> known = flags.list();
    const cli::FlagWord last = cli::flag_word(before.back(), known);
    if (last.takes_next_word()) return choices_of(*last.flag);
    std::vector<Candidate> out;
    for (const Flags::Listed& flag : known) {
      if (word.starts_with('-')) out.push_back({"--" + flag.name, flag.help});
    }
    return word.starts_with('-') || !entry.names_job ? out : jobs(context);
  }

  static std::vector<Candidate> choices_of(const Flags::Listed& flag) {
    std::vector<Candidate> out;
    for (const std::string& choice : flag.choices) out.push_back({choice});
    return out;
  }

  static std::vector<Candidate> jobs(Context& context) {
    std::vector<Candidate> out;
    const auto found = find_jobs(context, {.ns = context.session.ns()});
    if (!found) return out;
    for (const FoundJob& one : *found) out.push_back({one.job.name, one.job.status});
    return out;
  }
};

}  // namespace

std::unique_ptr<Command> make_completion() {
  return std::make_unique<Completion>();
}

std::unique_ptr<Command> make_complete() {
  return std::make_unique<Complete>();
}

}  // namespace muster::arena
