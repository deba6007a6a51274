#include "linux/process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/files.h"
#include "base/strings.h"
#include "linux/process_usage.h"

namespace muster::linux_os {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// posix_spawn's two option objects, freed on every path.
struct SpawnOptions {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;

  SpawnOptions() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  SpawnOptions(const SpawnOptions&) = delete;
  SpawnOptions& operator=(const SpawnOptions&) = delete;
  ~SpawnOptions() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

}  // namespace

Result<Child> spawn(const SpawnRequest& request) {
  SpawnOptions options;
  int last = 2;
  for (const auto& [ours, theirs] : request.fds) last = std::max(last, theirs);
  std::vector<Fd> moved;  // those whose number the child needs for another
  for (const auto& [ours, theirs] : request.fds) {
    if (ours <= last) moved.emplace_back(::fcntl(ours, F_DUPFD_CLOEXEC, last + 1));
    ::posix_spawn_file_actions_adddup2(&options.actions, ours <= last ? moved.back().get() : ours, theirs);
  }
  ::posix_spawn_file_actions_addclosefrom_np(&options.actions, last + 1);
  sigset_t all;
  sigset_t none;
  ::sigfillset(&all);
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigdefault(&options.attributes, &all);
  ::posix_spawnattr_setsigmask(&options.attributes, &none);
  ::posix_spawnattr_setflags(&options.attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const std::vector<char*> args = pointers(request.args);
  const std::vector<char*> env = pointers(request.env);
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, request.program.c_str(), &options.actions, &options.attributes, args.data(), env.data());
  if (error != 0) return errno_error(fmt::format("start {}", quote(request.program)), error);
  // No other code reaps our children, so the pid cannot have been reused in between.
  TRY_ASSIGN(Fd pidfd, open_pidfd(pid));
  return Child{pid, std::move(pidfd)};
}

Result<Fd> open_pidfd(pid_t pid) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (fd >= 0) return Fd(fd);
  Error error = errno_error(fmt::format("pidfd of process {}", pid), errno);
  if (errno == ESRCH) error.reason = Reason::kNotFound;
  return error;
}

Status send_signal(const Fd& pidfd, int signal) {
  if (::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) == 0 || errno == ESRCH) return ok();
  return errno_error(fmt::format("send signal {}", signal), errno);
}

bool has_ended(const Fd& pidfd) {
  pollfd polled{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  if (::poll(&polled, 1, 0) <= 0) return false;
  siginfo_t reaped{};
  // 3 is P_PIDFD. The call fails with ECHILD when the process is not our child.
  ::waitid(static_cast<idtype_t>(3), static_cast<id_t>(pidfd.get()), &reaped, WEXITED | WNOHANG);
  return true;
}

std::optional<std::uint64_t> start_time_of(pid_t pid) {
  const auto times = process_times(pid);
  return times ? std::optional(times->start_time) : std::nullopt;
}

bool is_being_killed(pid_t pid) {
  constexpr std::uint64_t kPendingKill = 1U << (SIGKILL - 1);
  constexpr std::int64_t kExiting = 0x4;  // the kernel's PF_EXITING
  constexpr std::size_t kFlags = 6;       // after the name, in /proc/PID/stat
  const std::string status = read_file(fmt::format("/proc/{}/status", pid)).value_or("");
  for (const std::string& line : split(status, '\n')) {
    if (!line.starts_with("SigPnd:") && !line.starts_with("ShdPnd:")) continue;
    if ((std::strtoull(line.c_str() + sizeof "SigPnd:" - 1, nullptr, 16) & kPendingKill) != 0) return true;
  }
  const std::string stat = read_file(fmt::format("/proc/{}/stat", pid)).value_or("");
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string::npos) return false;
  const std::vector<std::string> fields = split(std::string_view(stat).substr(name_end + 2), ' ');
  return fields.size() > kFlags && (parse_int(fields[kFlags]).value_or(0) & kExiting) != 0;
}

std::optional<Fd> open_exactly(const ProcessId& id) {
  auto fd = open_pidfd(id.pid);
  if (!fd || start_time_of(id.pid) != id.start_time) return std::nullopt;
  return std::move(*fd);
}

std::optional<std::int64_t> most_locked_memory() {
  constexpr unsigned kSysResource = 1U << 24;  // CAP_SYS_RESOURCE of <linux/capability.h>
  struct {
    std::uint32_t version = 0x20080522;
    int pid = 0;
  } header;
  struct {
    std::uint32_t effective = 0;
    std::uint32_t permitted = 0;
    std::uint32_t inheritable = 0;
  } sets[2];
  if (::syscall(SYS_capget, &header, sets) == 0 && (sets[0].effective & kSysResource) != 0) return std::nullopt;
  struct ::rlimit limit = {};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_max == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::int64_t>(limit.rlim_max);
}

Result<std::string> boot_id() {
  TRY_ASSIGN(const std::string text, read_file("/proc/sys/kernel/random/boot_id"));
  return std::string(trim(text));
}

Result<std::uint64_t> pid_namespace() {
  struct stat what {};
  if (::stat("/proc/self/ns/pid", &what) != 0) return errno_error("stat \"/proc/self/ns/pid\"", errno);
  return static_cast<std::uint64_t>(what.st_ino);
}

}  // namespace muster::linux_os
