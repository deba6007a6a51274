#include "main/engine_commands.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>

#include "base/files.h"
#include "base/strings.h"
#include "cli/cli.h"
#include "cli/print_error.h"
#include "main/data_dir.h"

extern char** environ;

namespace muster {
namespace {

constexpr int kStopTimeoutMs = 20'000;

std::string log_path(const std::string& data_dir) {
  return data_dir + "/engine.log";
}

/// What the engine said last: shown when it did not come up.
std::string last_lines(const std::string& path, std::size_t count) {
  auto text = read_file(path);
  if (!text) return "";
  auto lines = split(trim(*text), '\n');
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  return join(lines, "\n");
}

/// Starts `muster serve` in a session of its own with its log in a file; its stdout is the pipe to read "ready" from.
Result<int> spawn_engine(const std::vector<std::string>& serve_args, const std::string& log) {
  int ready[2];
  if (::pipe2(ready, O_CLOEXEC) != 0) return errno_error("pipe", errno);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ready[1], 1);
  posix_spawn_file_actions_addopen(&files, 2, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);

  std::vector<std::string> words{"muster", "serve"};
  words.insert(words.end(), serve_args.begin(), serve_args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int failure = ::posix_spawn(&pid, "/proc/self/exe", &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  ::close(ready[1]);
  if (failure != 0) {
    ::close(ready[0]);
    return errno_error("start the engine", failure);
  }
  return ready[0];
}

/// The URL after "ready ", or "" when the engine ended first.
std::string read_ready_line(int fd) {
  std::string text;
  char buffer[512];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.find('\n') != std::string::npos) break;
  }
  ::close(fd);
  return text.starts_with("ready ") ? std::string(trim(text.substr(6))) : "";
}

/// Waits by pidfd, so a pid that is reused meanwhile is never signalled.
Status stop_process(const EngineRecord& engine) {
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, engine.pid, 0));
  if (pidfd < 0) return errno == ESRCH ? ok() : Status(errno_error("pidfd_open", errno));
  const bool sent = ::syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, nullptr, 0) == 0;
  pollfd wait{.fd = pidfd, .events = POLLIN, .revents = 0};
  const bool ended = sent && ::poll(&wait, 1, kStopTimeoutMs) == 1;
  ::close(pidfd);
  if (ended) return ok();
  return Error{
      .reason = Reason::kTimeout,
      .message = fmt::format("the engine (pid {}) did not stop within {} s; kill -9 {} is safe: nothing saved is "
                             "lost and pods go on",
                             engine.pid, kStopTimeoutMs / 1000, engine.pid)};
}

/// What the commands of the background engine share: the folder.
class OfFolder : public EngineCommand {
 public:
  void add_flags(cli::Flags& flags) override {
    flags.add_string("data-dir", &data_dir_, "folder that holds everything the engine keeps");
  }

 protected:
  std::string data_dir_ = default_data_dir();
};

void print_where(const EngineRecord& engine, const std::string& data_dir) {
  fmt::print("engine      {} (pid {})\n", engine.url, engine.pid);
  fmt::print("data        {}\n", data_dir);
  fmt::print("kubectl     export KUBECONFIG={}/kubeconfig\n", data_dir);
}

int stop_jobs(const std::string& data_dir) {
  return cli::run(
      {"delete", "pytorchtrainingjobs,pytorchjobs,pods", "--all", "-A", "--kubeconfig", data_dir + "/kubeconfig"});
}

/// Only a folder that an engine made is removed.
Status purge(const std::string& data_dir) {
  if (!std::filesystem::exists(data_dir)) return ok();
  if (!std::filesystem::exists(data_dir + "/store/muster.db")) {
    return Error{.reason = Reason::kConflict,
                 .message = fmt::format("{} holds no engine's database; not removing it", quote(data_dir))};
  }
  std::error_code error;
  std::filesystem::remove_all(data_dir, error);
  if (error)
    return Error{.reason = Reason::kInternalError, .message = "remove " + quote(data_dir) + ": " + error.message()};
  return ok();
}

class Up final : public OfFolder {
 public:
  void add_flags(cli::Flags& flags) override {
    OfFolder::add_flags(flags);
    flags.add_string("listen", &listen_, "HOST:PORT to serve on (default 127.0.0.1:8765)");
    flags.add_string("config", &config_, "configuration file (default DIR/config.yaml, when there is one)");
  }

  int run(const std::vector<std::string>&) override {
    if (const auto engine = running_engine(data_dir_)) {
      fmt::print("already running\n");
      print_where(*engine, data_dir_);
      return cli::kExitOk;
    }
    if (auto made = make_directories(data_dir_, 0700); !made) return cli::print_error(made.error());
    std::vector<std::string> serve_args{"--data-dir", data_dir_};
    if (!listen_.empty()) serve_args.insert(serve_args.end(), {"--listen", listen_});
    if (!config_.empty()) serve_args.insert(serve_args.end(), {"--config", config_});
    const std::string log = log_path(data_dir_);
    auto ready = spawn_engine(serve_args, log);
    if (!ready) return cli::print_error(ready.error());
    if (read_ready_line(*ready).empty()) {
      return cli::print_error(
          Error{.reason = Reason::kServiceUnavailable,
                .message = fmt::format("the engine did not start; its log {} ends with\n{}", log, last_lines(log, 5))});
    }
    if (const auto engine = running_engine(data_dir_)) print_where(*engine, data_dir_);
    return cli::kExitOk;
  }

 private:
  std::string listen_;
  std::string config_;
};

class Down final : public OfFolder {
 public:
  void add_flags(cli::Flags& flags) override {
    flags.add_bool("stop-jobs", &stop_jobs_, "stop running jobs too; without it they go on and are found again");
    flags.add_bool("purge", &purge_, "stop jobs and remove everything the engine keeps, volumes included");
    OfFolder::add_flags(flags);
  }

  int run(const std::vector<std::string>&) override {
    const auto engine = running_engine(data_dir_);
    if (engine) {
      if (stop_jobs_ || purge_) {
        if (const int code = stop_jobs(data_dir_); code != 0) return code;
      }
      if (auto stopped = stop_process(*engine); !stopped) return cli::print_error(stopped.error());
    }
    fmt::print("{}\n", engine ? "stopped" : "not running");
    if (purge_) {
      if (auto removed = purge(data_dir_); !removed) return cli::print_error(removed.error());
      fmt::print("removed {}\n", data_dir_);
    }
    return cli::kExitOk;
  }

 private:
  bool stop_jobs_ = false;
  bool purge_ = false;
};

class EngineStatus final : public OfFolder {
 public:
  int run(const std::vector<std::string>&) override {
    const auto engine = running_engine(data_dir_);
    if (!engine) {
      fmt::print("not running (data {}); start it with: muster up\n", data_dir_);
      return cli::kExitUnreachable;
    }
    print_where(*engine, data_dir_);
    return cli::run({"get", "nodes,pytorchtrainingjobs,pytorchjobs", "-A", "--kubeconfig", data_dir_ + "/kubeconfig"});
  }
};

}  // namespace

std::unique_ptr<EngineCommand> make_up() {
  return std::make_unique<Up>();
}

std::unique_ptr<EngineCommand> make_down() {
  return std::make_unique<Down>();
}

std::unique_ptr<EngineCommand> make_status() {
  return std::make_unique<EngineStatus>();
}

}  // namespace muster
