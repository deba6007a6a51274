// exec: runs a command in a container. attach: connects to the program that a container runs.
#include <fmt/core.h>

#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/exec/exec_run.h"
#include "client/logs/log_target.h"

namespace muster::cli {

namespace {

const json::Document* container_named(const json::Document& pod, const std::string& name) {
  for (const json::Document& container : pod.array_at("spec", "containers")) {
    if (container.string_at("name") == name) return &container;
  }
  return nullptr;
}

class Exec final : public Command {
 public:
  enum class Mode { kExec, kAttach };
  Exec(Mode mode, Console console) : mode_(mode), console_(std::move(console)) {}

  void add_flags(Flags& flags) override {
    flags.add("container", &container_, "container (default: the first)", 'c');
    flags.add("stdin", &stdin_, "pass stdin to the program", 'i');
    flags.add("tty", &tty_, "run the program on a terminal: keys, colours and size are passed on", 't');
    flags.add("quiet", &quiet_, "print only the output of the program", 'q');
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (words.empty()) return session.fail(usage_failure("name a pod or a job", usage()));
    if (mode_ == Mode::kExec && words.size() < 2) {
      return session.fail(usage_failure("name a command to run", usage()));
    }
    const auto found = find_running_pod(session, session.ns(), words[0]);
    if (const auto* failure = std::get_if<Failure>(&found)) return session.fail(*failure);
    const json::Document& pod = std::get<0>(found);
    note(session, note_of_pod(pod, words[0]));
    choose_container(session, pod);
    choose_terminal(session, pod);
    ExecRun run;
    run.request = {.ns = session.ns(),
                   .pod = pod.string_at("metadata", "name"),
                   .container = container_,
                   .with_stdin = stdin_,
                   .with_stdout = true,
                   .with_stderr = !tty_,
                   .tty = tty_};
    if (mode_ == Mode::kExec) run.request.command.assign(words.begin() + 1, words.end());
    run.input = stdin_ ? console_.input : -1;
    run.console = &console_;
    run.on_stdout = [&](std::string_view bytes) { session.out_exact(bytes); };
    run.on_stderr = [&](std::string_view bytes) { session.terminal().err(bytes); };
    return finish(session, run_exec_on_terminal(session, run));
  }

 private:
  std::string usage() const {
    return mode_ == Mode::kExec ? "muster exec [-it] POD|JOB -- COMMAND ARGUMENTS…" : "muster attach [-it] POD|JOB";
  }

  void note(Session& session, const std::string& text) const {
    if (!quiet_ && !text.empty()) session.err(text);
  }

  void choose_container(Session& session, const json::Document& pod) {
    if (!container_.empty()) return;
    container_ = client::default_container(pod);
    const json::Array& all = pod.array_at("spec", "containers");
    if (all.size() < 2) return;
    std::vector<std::string> names;
    for (const json::Document& container : all) names.push_back(container.string_at("name"));
    note(session, fmt::format("Defaulted container \"{}\" out of: {}\n", container_, join(names, ", ")));
  }

  /// A terminal needs one at both ends. The container's own program has one or not, whatever is asked for here.
  void choose_terminal(Session& session, const json::Document& pod) {
    if (mode_ == Mode::kAttach) {
      const json::Document* container = container_named(pod, container_);
      const bool has_one = container != nullptr && container->bool_at("tty");
      if (tty_ && !has_one) {
        note(session, fmt::format("note: container {} has no terminal (tty: true in its spec)\n", container_));
      }
      tty_ = has_one;
      if (stdin_ && container != nullptr && !container->bool_at("stdin")) {
        note(session, fmt::format("note: container {} reads no input (stdin: true in its spec)\n", container_));
        stdin_ = false;
      }
      return;
    }
    if (tty_ && (!stdin_ || !session.terminal().in_is_terminal)) {
      note(session, "note: running without a terminal: -t needs -i and a terminal as input\n");
      tty_ = false;
    }
  }

  int finish(Session& session, const std::optional<Result<int>>& exit) const {
    if (!exit) return kExitInterrupted;
    if (!*exit) return session.fail(exit->error());
    if (**exit != 0) note(session, fmt::format("command terminated with exit code {}\n", **exit));
    return **exit;
  }

  Mode mode_;
  Console console_;
  std::string container_;
  bool stdin_ = false;
  bool tty_ = false;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> make_exec() {
  return make_exec(real_console());
}

std::unique_ptr<Command> make_exec(Console console) {
  return std::make_unique<Exec>(Exec::Mode::kExec, std::move(console));
}

std::unique_ptr<Command> make_attach() {
  return make_attach(real_console());
}

std::unique_ptr<Command> make_attach(Console console) {
  return std::make_unique<Exec>(Exec::Mode::kAttach, std::move(console));
}

}  // namespace muster::cli
