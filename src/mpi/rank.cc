// muster-rank COMMAND ARGS…: runs one rank and reports to the launcher how it ended. Open MPI starts it in front of
// every rank, in the process group that it sends its signals to.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "base/fd.h"
#include "base/result.h"
#include "base/strings.h"
#include "mpi/last_words.h"
#include "mpi/program.h"
#include "mpi/rank_line.h"

namespace muster::mpi {
namespace {

// They reach the rank as well, which decides what they mean.
constexpr std::array kGroupSignals = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
constexpr int kNotStarted = 127;

void exec_command(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  fmt::print(stderr, "muster-rank: {}\n", errno_error("start " + quote(command[0]), errno).message);
}

Result<Fd> connect_to(const Collector& collector) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(collector.port));
  if (!fd || ::inet_pton(AF_INET, collector.address.c_str(), &address.sin_addr) != 1 ||
      ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return errno_error(fmt::format("connect to the launcher at {}:{}", collector.address, collector.port), errno);
  }
  return fd;
}

/// One short line always fits into the socket's buffer.
bool send_line(const Fd& fd, const std::string& line) {
  return ::send(fd.get(), line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
}

/// Waits until the launcher has entered the rank into its book.
bool is_confirmed(const Fd& fd) {
  constexpr int kPatienceMs = 10'000;
  pollfd waiting{.fd = fd.get(), .events = POLLIN, .revents = 0};
  char answer = 0;
  return ::poll(&waiting, 1, kPatienceMs) == 1 && ::recv(fd.get(), &answer, 1, 0) == 1 && answer == kConfirmed;
}

/// Tries again when strangers crowd the launcher's port, which drops connections that it does not know yet.
Result<Fd> report_start(const Collector& collector, const RankStart& start) {
  constexpr int kAttempts = 20;
  constexpr unsigned kPauseUs = 100'000;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    if (attempt > 1) ::usleep(kPauseUs * static_cast<unsigned>(attempt));
    auto fd = connect_to(collector);
    if (!fd || (send_line(*fd, start_line(start)) && is_confirmed(*fd))) return fd;
  }
  return Error{.reason = Reason::kTimeout,
               .message = fmt::format("the launcher at {}:{} does not confirm the start of the rank", collector.address,
                                      collector.port)};
}

/// What the rank writes to standard error passes through here, so that its exception is known when it fails.
class ErrorStream {
 public:
  ErrorStream() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;  // the rank writes to ours itself
    read_end_ = Fd(ends[0]);
    write_end_ = Fd(ends[1]);
  }

  /// In the process that becomes the rank.
  void take_over() const {
    if (write_end_) ::dup2(write_end_.get(), STDERR_FILENO);
  }

  /// Passes it on until the process ends and returns its exception. Processes that outlive it write into the void.
  std::string pass_on(const Fd& process) {
    write_end_ = Fd();
    if (!read_end_) return "";
    std::array<pollfd, 2> waiting{pollfd{.fd = read_end_.get(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = process.get(), .events = POLLIN, .revents = 0}};
    while (waiting[1].revents == 0 && (process || waiting[0].fd >= 0)) {
      if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) break;
      if (waiting[0].revents != 0 && !pass_some()) waiting[0].fd = -1;
    }
    ::fcntl(read_end_.get(), F_SETFL, O_NONBLOCK);
    while (pass_some()) {
    }
    return words_.exception();
  }

 private:
  bool pass_some() {
    std::array<char, 16384> buffer{};
    const ssize_t count = ::read(read_end_.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return false;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
    words_.take(text);
    [[maybe_unused]] const bool written = write_all(STDERR_FILENO, text);
    return true;
  }

  static bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(fd, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

  Fd read_end_;
  Fd write_end_;
  LastWords words_;
};

ProcessEnd wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return {.code = kNotStarted, .signal = 0};
  }
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = 0};
}

/// Ends this process as the rank has ended, so that mpirun reports the same.
int end_like(const ProcessEnd& end) {
  if (end.signal == 0) return end.code;
  const rlimit no_core{0, 0};  // the rank has left one
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(end.signal, SIG_DFL);
  ::raise(end.signal);
  return shell_code(end);
}

int run_recorded(const Invocation& invocation, const Collector& collector, int rank) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const auto ranks = parse_int(variable(invocation, "OMPI_COMM_WORLD_SIZE").value_or(""));
  const auto launcher =
      report_start(collector, {.key = collector.key,
                               .rank = rank,
                               .ranks = static_cast<int>(std::clamp<std::int64_t>(ranks.value_or(0), 0, INT32_MAX)),
                               .host = host.data()});
  if (!launcher) {
    // A rank that nobody watches could fail unnoticed.
    fmt::print(stderr, "muster-rank: {}\n", launcher.error().message);
    return kNotStarted;
  }
  for (const int signal : kGroupSignals) ::signal(signal, SIG_IGN);
  ErrorStream errors;
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    errors.take_over();
    for (const int signal : kGroupSignals) ::signal(signal, SIG_DFL);
    exec_command(invocation.args);
    ::_exit(kNotStarted);
  }
  ::signal(SIGPIPE, SIG_IGN);  // mpirun may be gone before its ranks
  const Fd process(pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)) : -1);
  std::string why = pid > 0 ? errors.pass_on(process) : "";
  ProcessEnd end = pid > 0 ? wait_for(pid) : ProcessEnd{.code = kNotStarted, .signal = 0};
  if (has_failed(end)) end.why = std::move(why);
  send_line(*launcher, end_line(end));
  return end_like(end);
}

}  // namespace

int rank_main(const Invocation& invocation) {
  if (invocation.args.empty()) {
    fmt::print(stderr, "muster-rank: no command given; usage: muster-rank COMMAND ARGUMENTS…\n");
    return 2;
  }
  const auto collector = parse_collector(variable(invocation, kCollectorVariable).value_or(""));
  const auto rank = parse_int(variable(invocation, "OMPI_COMM_WORLD_RANK").value_or(""));
  if (collector && rank) return run_recorded(invocation, *collector, static_cast<int>(*rank));
  exec_command(invocation.args);  // started by hand, without a launcher that collects
  return kNotStarted;
}

}  // namespace muster::mpi
