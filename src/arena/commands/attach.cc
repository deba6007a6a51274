// arena attach: a program in a running instance, by default a shell in the chief.
#include <fmt/core.h>

#include <algorithm>

#include "arena/commands/commands.h"
#include "arena/requests/find_jobs.h"
#include "cli/exec/exec_run.h"
#include "client/logs/log_target.h"

namespace muster::arena {

namespace {

class Attach final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("instance", &instance_, "Specify the task instance to attach", 'i');
    flags.add("container", &container_, "Specify the container name of instance to attach", 'c');
    add_type_flag(flags, &type_);
  }

  std::optional<cli::Failure> check(const std::vector<std::string>& /*words*/) override { return check_type(type_); }

  int run(Context& context, const std::vector<std::string>& words) override {
    const auto found = find_job(context, words[0], type_, kJobNotFound);
    if (const auto* failure = std::get_if<cli::Failure>(&found)) return context.fail(*failure);
    const Job& job = std::get<FoundJob>(found).job;
    const Instance* target = target_of(job);
    if (target == nullptr) return context.fail(no_instance(job));
    if (target->phase == "Succeeded" || target->phase == "Failed") {
      return context.fail(cli::Failure{
          .what = "cannot exec into a container in a completed Instance; current phase is " + target->phase});
    }
    const auto pod = context.session.get({{"", "v1", "pods"}, job.ns, target->name});
    if (!pod) return context.fail(pod.error());
    const std::string container = container_.empty() ? client::default_container(*pod) : container_;
    context.session.err(fmt::format("Hello! Arena attach the container {} of instance {}\n", container, target->name));
    return exec(context, *target, container, {words.begin() + 1, words.end()});
  }

 private:
  const Instance* target_of(const Job& job) const {
    if (instance_.empty()) return job.instances.size() == 1 ? &job.instances.front() : job.chief();
    const auto named = std::ranges::find(job.instances, instance_, &Instance::name);
    return named == job.instances.end() ? nullptr : &*named;
  }

  cli::Failure no_instance(const Job& job) const {
    if (instance_.empty()) return {.what = fmt::format("the job {} has no instance yet", job.name), .why = job.message};
    return {.what = fmt::format(
                "invalid instance name {0} in job {1},please use 'arena get {1}' to make sure instance name", instance_,
                job.name)};
  }

  /// The program gets our terminal if there is one; in a pipe its output is copied unchanged.
  static int exec(Context& context, const Instance& target, const std::string& container,
                  std::vector<std::string> command) {
    cli::Session& session = context.session;
    if (command.empty()) command = {"sh"};
    const cli::Console console = cli::real_console();
    const bool terminal = session.terminal().in_is_terminal && session.terminal().out_is_terminal;
    const cli::ExecRun run{.request = {.ns = session.ns(),
                                       .pod = target.name,
                                       .container = container,
                                       .command = std::move(command),
                                       .with_stdin = true,
                                       .with_stdout = true,
                                       .with_stderr = !terminal,
                                       .tty = terminal},
                           .input = console.input,
                           .on_stdout = [&](std::string_view bytes) { session.out_exact(bytes); },
                           .on_stderr = [&](std::string_view bytes) { session.terminal().err(bytes); },
                           .console = &console};
    const auto end = cli::run_exec_on_terminal(session, run);
    if (!end) return 1;
    if (!*end) return context.fail(end->error());
    return **end == 0 ? 0 : 1;
  }

  std::string instance_;
  std::string container_;
  std::string type_;
};

}  // namespace

std::unique_ptr<Command> make_attach() {
  return std::make_unique<Attach>();
}

}  // namespace muster::arena
