// `muster up`, `down` and `status` manage the engine in the background.
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>

#include "agent/network/networks.h"
#include "agent/pod/stop_pods.h"
#include "base/files.h"
#include "base/strings.h"
#include "cli/cli.h"
#include "door/door.h"
#include "linux/process.h"
#include "linux/remove_tree.h"
#include "main/ask_engine.h"
#include "main/boot_unit.h"
#include "main/commands.h"
#include "main/config.h"
#include "main/content_listen.h"
#include "main/data_dir.h"

extern char** environ;

namespace muster {
namespace {

constexpr int kStopTimeoutMs = 20'000;

std::string log_path(const std::string& data_dir) {
  return data_dir + "/engine.log";
}

/// Returns the end of the engine's log, which is shown when the engine did not start.
std::string last_lines(const std::string& path, std::size_t count) {
  auto text = read_file(path);
  if (!text) return "";
  auto lines = split(trim(*text), '\n');
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  return join(lines, "\n");
}

/// Starts `muster serve` in a session of its own, with its log in a file. Returns the pipe that "ready" is read from.
Result<Fd> spawn_engine(const std::vector<std::string>& serve_args, const std::string& log_file) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error("pipe", errno);
  Fd ready(ends[0]);
  const Fd out(ends[1]);
  const Fd in(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Fd log(::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!in || !log) return errno_error("open " + quote(log_file), errno);
  linux_os::SpawnRequest engine{.program = "/proc/self/exe",
                                .args = {"muster", "serve"},
                                .env = {},
                                .fds = {{in.get(), 0}, {out.get(), 1}, {log.get(), 2}}};
  engine.args.insert(engine.args.end(), serve_args.begin(), serve_args.end());
  for (char** variable = environ; *variable != nullptr; ++variable) engine.env.emplace_back(*variable);
  TRY(linux_os::spawn(engine));
  return ready;
}

/// Returns the URL after "ready ", or "" when the engine exited first.
std::string read_ready_line(const Fd& fd) {
  std::string text;
  char buffer[512];
  while (text.find('\n') == std::string::npos) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text.starts_with("ready ") ? std::string(trim(text.substr(6))) : "";
}

/// Waits through a pidfd, so that a reused pid is never signalled.
Status stop_process(const EngineRecord& engine) {
  const auto process = linux_os::open_exactly({.pid = engine.pid, .start_time = engine.start_ticks});
  if (!process) return ok();
  TRY(linux_os::send_signal(*process, SIGTERM));
  pollfd wait{.fd = process->get(), .events = POLLIN, .revents = 0};
  if (::poll(&wait, 1, kStopTimeoutMs) == 1) return ok();
  return Error{
      .reason = Reason::kTimeout,
      .message = fmt::format("the engine (pid {}) did not stop within {} s; kill -9 {} is safe: nothing saved is "
                             "lost and pods keep running",
                             engine.pid, kStopTimeoutMs / 1000, engine.pid)};
}

/// The base of the commands for the background engine, which all take the folder.
class OfFolder : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override { flags.add("data-dir", &data_dir_, "data folder of the engine"); }

 protected:
  std::string data_dir_ = default_data_dir();
};

/// Returns the path as a shell reads it back.
std::string shell_word(const std::string& path) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,:@%";
  if (path.find_first_not_of(kPlain) == std::string::npos) return path;
  std::string out = "'";
  for (const char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// A page of a TensorBoard or a notebook is on the content port, so that both are forwarded, to the same numbers.
std::string ssh_line(const EngineRecord& engine) {
  const auto address = parse_address(std::string_view(engine.url).substr(engine.url.find("://") + 3));
  if (!address || engine.content_port == 0 || !is_loopback(address->host)) return "";
  char name[256] = {};
  const std::string host = ::gethostname(name, sizeof name - 1) == 0 ? name : "HOST";
  return fmt::format("from afar   ssh -L {0}:127.0.0.1:{0} -L {1}:127.0.0.1:{1} {2}\n", address->port,
                     engine.content_port, host);
}

std::string where(const EngineRecord& engine, const std::string& data_dir) {
  const std::string note = engine.note.empty() ? "" : fmt::format("note        {}\n", engine.note);
  return note +
         fmt::format("engine      {} (pid {})\ndata        {}\nkubectl     export KUBECONFIG={}\n", engine.url,
                     engine.pid, data_dir, shell_word(data_dir + "/kubeconfig")) +
         ssh_line(engine);
}

/// The link logs in once; an engine that gives none is still of use.
std::string console_line(const std::string& data_dir) {
  const auto link = make_console_link(data_dir);
  return fmt::format("console     {}\n", link ? *link : "muster console");
}

class Up final : public OfFolder {
 public:
  void add_flags(cli::Flags& flags) override {
    OfFolder::add_flags(flags);
    flags.add("listen", &listen_, "HOST:PORT to listen on; 0.0.0.0: every address");
    flags.add("config", &config_, "configuration file (default DIR/config.yaml)");
    flags.add("at-login", &at_login_, "also start it at boot: installs a unit of systemd");
  }

  int run(cli::Session& session, const std::vector<std::string>&) override {
    if (auto made = prepare_data_dir(data_dir_); !made) return session.fail(made.error());
    const auto turn = wait_for_turn();
    if (!turn) return session.fail(turn.error());
    const bool runs = running_engine(data_dir_).has_value();
    std::string said = runs ? "already running\n" : "";
    bool started = runs;
    if (at_login_) {
      const auto installed = install_unit(runs, started);
      if (!installed) return session.fail(installed.error());
      said += *installed;
      started = started || runs;
    }
    if (!started) {
      if (const Status up = start(); !up) return session.fail(up.error());
    }
    auto engine = running_engine(data_dir_);
    if (!engine && runs) {  // it has ended since
      if (const Status up = start(); !up) return session.fail(up.error());
      said = "started again\n";
      engine = running_engine(data_dir_);
    }
    session.out(engine ? said + where(*engine, data_dir_) + console_line(data_dir_) : said);
    return cli::kExitOk;
  }

 private:
  std::vector<std::string> flags_of_serve() const {
    std::vector<std::string> words;
    if (!listen_.empty()) words.insert(words.end(), {"--listen", listen_});
    if (!config_.empty()) words.insert(words.end(), {"--config", std::filesystem::absolute(config_)});
    return words;
  }

  /// Two terminals may start the engine at once: the second one waits until it runs.
  Result<Fd> wait_for_turn() const {
    const std::string log = log_path(data_dir_);
    Fd turn(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!turn) return errno_error("open " + quote(log), errno);
    while (::flock(turn.get(), LOCK_EX) != 0) {
      if (errno != EINTR) return errno_error("lock " + quote(log), errno);
    }
    return turn;
  }

  Status start() const {
    std::vector<std::string> serve_args{"--data-dir", data_dir_};
    for (const std::string& word : flags_of_serve()) serve_args.push_back(word);
    const std::string log = log_path(data_dir_);
    TRY_ASSIGN(const Fd ready, spawn_engine(serve_args, log));
    if (!read_ready_line(ready).empty()) return ok();
    return Error{.reason = Reason::kServiceUnavailable,
                 .message = fmt::format("the engine did not start; its log {} ends with\n{}", log, last_lines(log, 5))};
  }

  Result<std::string> install_unit(bool runs, bool& started) const {
    std::error_code error;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe", error);
    const BootUnit unit{.program = program, .data_dir = real_data_dir(data_dir_), .args = flags_of_serve()};
    TRY_ASSIGN(const std::vector<std::string> said, install_boot_unit(this_boot_host(), unit, runs, started));
    return join(said, "\n") + "\n";
  }

  bool at_login_ = false;
  std::string listen_;
  std::string config_;
};

class Down final : public OfFolder {
 public:
  void add_flags(cli::Flags& flags) override {
    flags.add("stop-jobs", &stop_jobs_, "also end the processes of jobs; the next muster up starts them again");
    flags.add("purge", &purge_, "end all jobs and remove everything, volumes included");
    flags.add("yes", &yes_, "purge without asking");
    OfFolder::add_flags(flags);
  }

  int run(cli::Session& session, const std::vector<std::string>&) override {
    if (purge_) {
      if (auto may = may_purge(session); !may) return session.fail(may.error());
    }
    if (purge_) {
      // First: systemd must not start the engine again.
      const auto removed = remove_boot_unit(this_boot_host(), data_dir_);
      if (!removed) return session.fail(removed.error());
      for (const std::string& line : *removed) session.out(line + "\n");
    }
    const auto engine = running_engine(data_dir_);
    if (engine) {
      if (auto stopped = stop_process(*engine); !stopped) return session.fail(stopped.error());
    }
    session.out(engine ? "stopped\n" : "not running\n");
    if (stop_jobs_ || purge_) {
      if (auto ended = end_pods(session); !ended) return session.fail(ended.error());
    }
    if (auto ended = end_door(); !ended) return session.fail(ended.error());
    if (purge_) {
      if (auto removed = linux_os::remove_tree(data_dir_); !removed) return session.fail(removed.error());
      session.out(fmt::format("removed {}\n", data_dir_));
    } else if (has_boot_unit(this_boot_host(), data_dir_)) {
      session.out(fmt::format("{} starts it again at the next boot\n", unit_name(data_dir_)));
    }
    return cli::kExitOk;
  }

 private:
  /// Allows only the removal of a folder that an engine created, and on a terminal only after confirmation.
  Status may_purge(cli::Session& session) const {
    if (!std::filesystem::exists(data_dir_)) return ok();
    if (!std::filesystem::exists(data_dir_ + "/store/muster.db")) {
      return Error{.reason = Reason::kConflict,
                   .message = fmt::format("{} has no engine database; not removing it", quote(data_dir_))};
    }
    if (yes_ || !session.terminal().in_is_terminal) return ok();
    session.err(
        fmt::format("This ends all jobs and removes {} with every object, log and volume.\n"
                    "Type yes to continue: ",
                    data_dir_));
    TRY_ASSIGN(const std::string answer, session.terminal().read_line());
    if (trim(answer) == "yes") return ok();
    return Error{.reason = Reason::kConflict, .message = "nothing was stopped or removed"};
  }

  Status end_pods(cli::Session& session) const {
    TRY_ASSIGN(const std::size_t count, agent::stop_pods(data_dir_, [&session](std::size_t signalled) {
                 session.err(fmt::format("waiting for {} to end\n", pods(signalled)));
               }));
    agent::end_networks(data_dir_);
    if (count > 0) session.out(fmt::format("ended {}\n", pods(count)));
    return ok();
  }

  /// Pods that keep running could listen where the engine has listened, so the door stays for as long as they do.
  Status end_door() const {
    const std::string directory = real_data_dir(data_dir_);
    if (agent::any_pod_runs(directory)) return ok();
    return door::end_door(directory, token_of(directory));
  }

  static std::string pods(std::size_t count) { return count == 1 ? "1 pod" : fmt::format("{} pods", count); }

  bool stop_jobs_ = false;
  bool purge_ = false;
  bool yes_ = false;
};

class EngineStatus final : public OfFolder {
 public:
  int run(cli::Session& session, const std::vector<std::string>&) override {
    const auto engine = running_engine(data_dir_);
    if (!engine) {
      const char* port = door::has_door(data_dir_) ? "; its port is kept for it" : "";
      session.out(fmt::format("not running (data {}){}; start it with: muster up\n", data_dir_, port));
      return cli::kExitUnreachable;
    }
    session.out(where(*engine, data_dir_));
    const cli::Section objects{"", cli::object_commands()};
    const std::string kubeconfig = data_dir_ + "/kubeconfig";
    const int code = cli::run({&objects, 1}, {"get", "nodes", "--kubeconfig", kubeconfig});
    session.out("\n");
    return code != cli::kExitOk ? code
                                : cli::run({&objects, 1}, {"get", "jobs", "-A", "--count", "--kubeconfig", kubeconfig});
  }
};

}  // namespace

std::unique_ptr<cli::Command> make_up() {
  return std::make_unique<Up>();
}

std::unique_ptr<cli::Command> make_down() {
  return std::make_unique<Down>();
}

std::unique_ptr<cli::Command> make_status() {
  return std::make_unique<EngineStatus>();
}

}  // namespace muster
