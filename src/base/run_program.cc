#include "base/run_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/fd.h"
#include "base/strings.h"

extern char** environ;

namespace muster {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// A timer descriptor that becomes readable when the time is over.
Result<Fd> timer_of(Duration span) {
  Fd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span);
  itimerspec when{};
  when.it_value = {.tv_sec = seconds.count(), .tv_nsec = (span - seconds).count()};
  if (!timer || ::timerfd_settime(timer.get(), 0, &when, nullptr) != 0) return errno_error("timerfd", errno);
  return timer;
}

struct Child {
  pid_t pid = 0;
  Fd ended;   // readable once the process has ended
  Fd output;  // its standard output
};

Result<Child> start(ProgramRun& run) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_error("pipe", errno);
  Child child;
  child.output = Fd(ends[0]);
  const Fd write_end(ends[1]);
  std::vector<char*> argv = pointers(run.words);
  std::vector<char*> envp;
  if (run.env) envp = pointers(*run.env);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
  // A server ignores SIGPIPE. Programs are not made for that: Debian 12's pasta does not even start.
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  if (run.quiet) ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int failure =
      ::posix_spawnp(&child.pid, argv[0], &actions, &attributes, argv.data(), run.env ? envp.data() : environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return errno_error("run " + quote(run.words[0]), failure);
  child.ended = Fd(static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0)));
  return child;
}

/// Appends what can be read now. Returns false at the end of the output.
bool take(int fd, std::string& output) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(fd, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR;
  output.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

bool has_more(int fd) {
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, 0) == 1;
}

/// Reads until the program has ended. It does not wait for processes left behind that hold the output open.
Status read_until_end(Child& child, const ProgramRun& run, std::string& output) {
  TRY_ASSIGN(const Fd timer, timer_of(run.limit));
  bool open = true;
  while (true) {
    std::array<pollfd, 3> waiting = {pollfd{.fd = timer.get(), .events = POLLIN, .revents = 0},
                                     pollfd{.fd = child.ended.get(), .events = POLLIN, .revents = 0},
                                     pollfd{.fd = open ? child.output.get() : -1, .events = POLLIN, .revents = 0}};
    if (::poll(waiting.data(), waiting.size(), -1) <= 0) continue;
    if (waiting[2].revents != 0) open = take(child.output.get(), output);
    if (waiting[1].revents != 0) {
      while (open && output.size() <= run.max_output && has_more(child.output.get())) {
        open = take(child.output.get(), output);
      }
    }
    if (output.size() > run.max_output) {
      return Error{.reason = Reason::kRequestEntityTooLarge, .message = quote(run.words[0]) + " prints too much"};
    }
    if (waiting[1].revents != 0) return ok();
    if (waiting[0].revents != 0) {
      return Error{.reason = Reason::kTimeout, .message = quote(run.words[0]) + " does not end"};
    }
  }
}

}  // namespace

Result<ProgramEnd> run_program(ProgramRun run) {
  TRY_ASSIGN(Child child, start(run));
  ProgramEnd end;
  Status read = child.ended ? read_until_end(child, run, end.output) : Status(errno_error("pidfd_open", errno));
  if (!read) ::kill(child.pid, SIGKILL);
  int status = 0;
  while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!read) return std::move(read).error();
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return end;
}

}  // namespace muster
