#include "notify/run_input.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/files.h"
#include "base/lifetime.h"
#include "base/strings.h"

extern char** environ;

namespace muster::notify {

namespace {

/// A file in memory with the text, read from its start.
Result<Fd> input_file(const std::string& text) {
  Fd file(::memfd_create("notice", MFD_CLOEXEC));
  if (!file) return errno_error("memfd", errno);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = ::write(file.get(), text.data() + at, text.size() - at);
    if (count < 0 && errno != EINTR) return errno_error("memfd", errno);
    if (count > 0) at += static_cast<std::size_t>(count);
  }
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return errno_error("memfd", errno);
  return file;
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one) all.emplace_back(*one);
  for (const auto& [name, value] : variables) {
    std::erase_if(all, [&name = name](const std::string& entry) { return entry.starts_with(name + "="); });
    all.push_back(name + "=" + value);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

Result<pid_t> spawn(ProgramInput& run) {
  TRY_ASSIGN(const Fd input, input_file(run.input));
  std::vector<std::string> environment = environment_with(run.variables);
  std::vector<char*> argv = pointers_to(run.words);
  std::vector<char*> envp = pointers_to(environment);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // A server ignores and blocks signals that programs expect.
  sigset_t defaults;
  sigfillset(&defaults);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const int failure = ::posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), envp.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return errno_error("run " + quote(run.words[0]), failure);
  return pid;
}

class Running final : public RunningProgram {
 public:
  Running(Loop& loop, ProgramInput run, UniqueFunction<void(Status)> done)
      : loop_(loop), name_(run.words[0]), limit_(run.limit), done_(std::move(done)) {
    const auto pid = spawn(run);
    if (!pid) {
      failure_ = pid.error();
      loop_.post(lifetime_.guard([this] { done_(*failure_); }));
      return;
    }
    pid_ = *pid;
    ended_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    readable_ = loop_.on_readable(ended_.get(), [this] { on_end(); });
    timer_ = loop_.after(limit_, [this] {
      timer_ = 0;
      is_over_limit_ = true;
      ::kill(-pid_, SIGKILL);  // on_end reports it
    });
  }

  ~Running() override {
    loop_.cancel(readable_);
    loop_.cancel(timer_);
  }

 private:
  void on_end() {
    loop_.cancel(readable_);
    loop_.cancel(timer_);
    readable_ = timer_ = 0;
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    done_(outcome(status));  // may destroy this object
  }

  Status outcome(int status) const {
    if (is_over_limit_) {
      return Error{.reason = Reason::kTimeout,
                   .message = fmt::format("{} did not end within {}", name_, human_duration(limit_))};
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ok();
    const std::string how = WIFEXITED(status) ? fmt::format("exited with code {}", WEXITSTATUS(status))
                                              : fmt::format("was ended by signal {}", WTERMSIG(status));
    return Error{.reason = Reason::kServiceUnavailable, .message = name_ + " " + how};
  }

  Loop& loop_;
  std::string name_;
  Duration limit_;
  UniqueFunction<void(Status)> done_;
  std::optional<Error> failure_;
  pid_t pid_ = 0;
  Fd ended_;
  Loop::Id readable_ = 0;
  Loop::Id timer_ = 0;
  bool is_over_limit_ = false;
  Lifetime lifetime_;
};

}  // namespace

std::unique_ptr<RunningProgram> run_with_input(Loop& loop, ProgramInput run, UniqueFunction<void(Status)> done) {
  return std::make_unique<Running>(loop, std::move(run), std::move(done));
}

}  // namespace muster::notify
