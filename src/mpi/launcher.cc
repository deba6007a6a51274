// muster-mpirun [--home DIR] COMMAND ARGS…: runs the launcher of an MPI job and ends as the job has ended, which mpirun
// itself does not tell (see RankBook). The reason goes to the termination message, where the job's controller finds it.
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "base/random.h"
#include "base/strings.h"
#include "client/event_recorder.h"
#include "linux/process.h"
#include "mpi/pod_api.h"
#include "mpi/program.h"
#include "mpi/rank_collector.h"
#include "net/event_loop.h"

namespace muster::mpi {
namespace {

constexpr const char* kRankProgram = "/run/muster/bin/muster-rank";
constexpr const char* kForkAgentVariable = "OMPI_MCA_orte_fork_agent";
constexpr const char* kAddressVariable = "MUSTER_POD_IP";
constexpr const char* kTerminationLog = "/dev/termination-log";
constexpr Duration kGrace = std::chrono::seconds(10);
constexpr Duration kEventPatience = std::chrono::seconds(2);
constexpr Duration kReportPatience = std::chrono::seconds(5);
constexpr int kNotFound = 127;
constexpr std::array kForwarded = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

/// What is to be started.
struct Wanted {
  std::string home;  // where MPI is installed; "": wherever PATH says
  std::vector<std::string> command;
};

std::optional<Wanted> parse_args(const std::vector<std::string>& args) {
  Wanted wanted{.home = {}, .command = args};
  if (args.size() >= 2 && args[0] == "--home") {
    wanted.home = args[1];
    wanted.command.erase(wanted.command.begin(), wanted.command.begin() + 2);
  }
  if (wanted.command.empty()) return std::nullopt;
  return wanted;
}

void log_line(const std::string& text) {
  fmt::print(stderr, "muster-mpirun: {}\n", text);
}

/// Reports it on the pod. The log has it as well, so a failure to write the event is only logged.
void emit_event(const Invocation& invocation, const std::string& reason, const std::string& message) {
  const auto api = PodApi::open(invocation);
  if (!api) return log_line("event not written: " + api.error().message);
  api::ObjectReference pod;
  pod.api_version = "v1";
  pod.kind = "Pod";
  pod.ns = (*api)->ns();
  pod.name = variable(invocation, "MUSTER_POD_NAME").value_or("");
  pod.uid = variable(invocation, "MUSTER_POD_UID").value_or("");
  client::EventRecorder recorder((*api)->loop(), (*api)->client(), {.component = "muster-mpirun", .host = ""});
  recorder.record(pod, "Warning", reason, message);
  const MonoTime latest = (*api)->loop().mono() + kEventPatience;
  (*api)->loop().after(kEventPatience, [] {});  // the loop looks again by then
  (*api)->loop().run_until([&] { return recorder.is_idle() || (*api)->loop().mono() >= latest; });
}

/// Returns the path of the program. An MPI that is where the job says is used with its own libraries (--prefix).
std::optional<std::string> locate(Wanted& wanted, const Invocation& invocation) {
  const std::string path = variable(invocation, "PATH").value_or("");
  if (wanted.home.empty()) return find_program(wanted.command[0], path);
  const std::string written = wanted.home + "/bin/" + wanted.command[0];
  if (auto found = find_program(written, path)) {
    const std::array prefix = {std::string("--prefix"), wanted.home};
    wanted.command.insert(wanted.command.begin() + 1, prefix.begin(), prefix.end());
    return found;
  }
  auto found = find_program(wanted.command[0], path);
  if (found) {
    const std::string message = fmt::format("{} does not exist; {} is used", written, *found);
    log_line(message);
    emit_event(invocation, "OtherMpirun", message);
  }
  return found;
}

void write_termination(const std::string& message) {
  const Fd fd(::open(kTerminationLog, O_WRONLY | O_CLOEXEC));
  if (fd) [[maybe_unused]]
    const ssize_t written = ::write(fd.get(), message.data(), message.size());
}

int end_with(const Verdict& verdict) {
  if (!verdict.message.empty()) {
    log_line(verdict.message);
    write_termination(verdict.message);
  }
  return verdict.code;
}

ProcessEnd end_of(const Fd& pidfd) {
  siginfo_t info{};
  // 3 is P_PIDFD.
  ::waitid(static_cast<idtype_t>(3), static_cast<id_t>(pidfd.get()), &info, WEXITED);
  if (info.si_code == CLD_EXITED) return {.code = info.si_status, .signal = 0};
  return {.code = 0, .signal = info.si_status};
}

Fd catch_signals() {
  sigset_t caught;
  ::sigemptyset(&caught);
  for (const int signal : kForwarded) ::sigaddset(&caught, signal);
  ::sigprocmask(SIG_BLOCK, &caught, nullptr);
  return Fd(::signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK));
}

/// One run of the launcher's command.
class LauncherRun {
 public:
  explicit LauncherRun(const Invocation& invocation) : invocation_(invocation) {}

  Result<Verdict> run(const std::string& program, const std::vector<std::string>& command) {
    TRY_ASSIGN(collector_, RankCollector::open(loop_, variable(invocation_, kAddressVariable).value_or("127.0.0.1"),
                                               make_token(rng_), [this] { plan_giving_up(); }));
    const Fd signals = catch_signals();
    TRY_ASSIGN(
        child_,
        linux_os::spawn(
            {.program = program,
             .args = command,
             .env = environment(),
             .fds = {{STDIN_FILENO, STDIN_FILENO}, {STDOUT_FILENO, STDOUT_FILENO}, {STDERR_FILENO, STDERR_FILENO}}}));
    loop_.on_readable(signals.get(), [this, &signals] { forward(signals); });
    bool ended = false;
    loop_.on_readable(child_.pidfd.get(), [&ended] { ended = true; });
    loop_.run_until([&ended] { return ended; });
    const ProcessEnd how = end_of(child_.pidfd);
    collector_->drain();
    await_reports();
    return collector_->book().verdict(command[0], how);
  }

 private:
  /// mpirun may end before the last reports have crossed the network.
  void await_reports() {
    bool is_late = false;
    const Loop::Id timer = loop_.after(kReportPatience, [&is_late] { is_late = true; });
    loop_.run_until([&] { return is_late || collector_->book().is_complete(); });
    loop_.cancel(timer);
  }

  std::vector<std::string> environment() const {
    auto result = with_variable(invocation_.environment, kCollectorVariable, collector_text(collector_->where()));
    if (!variable(invocation_, kForkAgentVariable)) result = with_variable(result, kForkAgentVariable, kRankProgram);
    return result;
  }

  void forward(const Fd& signals) {
    signalfd_siginfo info{};
    while (::read(signals.get(), &info, sizeof info) == sizeof info) send(static_cast<int>(info.ssi_signo));
  }

  void send(int signal) {
    if (const auto sent = linux_os::send_signal(child_.pidfd, signal); !sent) log_line(sent.error().message);
  }

  void plan_giving_up() {
    loop_.cancel(std::exchange(timer_, 0));
    if (const auto when = collector_->book().gives_up_at()) {
      timer_ = loop_.after(std::max(*when - loop_.mono(), Duration(0)), [this] { give_up(); });
    }
  }

  void give_up() {
    log_line(fmt::format("a rank has failed and did not restart within {} s; the job ends",
                         std::chrono::duration_cast<std::chrono::seconds>(RankBook::kPatience).count()));
    send(SIGTERM);
    loop_.after(kGrace, [this] { send(SIGKILL); });
  }

  const Invocation& invocation_;
  net::EventLoop loop_;
  SystemRng rng_;
  std::unique_ptr<RankCollector> collector_;
  linux_os::Child child_;
  Loop::Id timer_ = 0;
};

}  // namespace

int launcher_main(const Invocation& invocation) {
  auto wanted = parse_args(invocation.args);
  if (!wanted) {
    log_line("no command given; usage: muster-mpirun [--home DIR] COMMAND ARGUMENTS…");
    return 2;
  }
  const auto program = locate(*wanted, invocation);
  if (!program) {
    return end_with(
        {.code = kNotFound,
         .message = fmt::format("{} is not installed in this environment; install Open MPI (openmpi-bin), or "
                                "map the image to an environment that has it",
                                wanted->command[0])});
  }
  const auto verdict = LauncherRun(invocation).run(*program, wanted->command);
  return end_with(verdict ? *verdict : Verdict{.code = kNotFound, .message = verdict.error().message});
}

}  // namespace muster::mpi
