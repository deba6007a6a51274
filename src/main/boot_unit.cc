#include "main/boot_unit.h"

#include <fmt/core.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/fd.h"
#include "base/files.h"
#include "base/run_program.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "main/data_dir.h"

extern char** environ;

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMade = "# Made by `muster up --at-login`, removed by `muster down --purge`.";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// systemd would expand specifiers and variables.
std::string unit_word(const std::string& word) {
  std::string out = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '%' || c == '$') out += c;
    out += c;
  }
  return out + "\"";
}

std::string without_specifiers(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '%' ? std::string("%%") : std::string(1, c);
  return out;
}

std::string runtime_folder() {
  const std::string given = variable("XDG_RUNTIME_DIR");
  return given.empty() ? fmt::format("/run/user/{}", ::geteuid()) : given;
}

Status run_checked(const std::vector<std::string>& words) {
  constexpr Duration kLimit = std::chrono::seconds(60);
  std::vector<std::string> env;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("XDG_RUNTIME_DIR=")) env.emplace_back(*entry);
  }
  if (::geteuid() != 0) env.push_back("XDG_RUNTIME_DIR=" + runtime_folder());
  TRY_ASSIGN(const ProgramEnd end, run_program({.words = words, .env = env, .quiet = true, .limit = kLimit}));
  if (end.succeeded()) return ok();
  return Error{.reason = Reason::kInternalError,
               .message = fmt::format("`{}` ended with exit code {}", join(words, " "), end.exit_code)};
}

std::vector<std::string> systemctl(const BootHost& host, const std::vector<std::string>& words) {
  std::vector<std::string> command{"systemctl"};
  if (!host.is_root) command.emplace_back("--user");
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

std::string path_of(const BootHost& host, const std::string& data_dir) {
  return host.unit_folder + "/" + unit_name(data_dir);
}

/// Without lingering, systemd runs a user's units from the first login to the last logout only.
std::string switch_lingering_on(const BootHost& host) {
  const Status on = host.run({"loginctl", "enable-linger", host.user});
  if (on) return fmt::format("lingering   on for {}: the engine starts at boot, before anybody logs in", host.user);
  return fmt::format(
      "lingering   off: {}; the engine starts at the first login and ends with the last logout; an administrator can "
      "run: loginctl enable-linger {}",
      on.error().message, host.user);
}

}  // namespace

BootHost this_boot_host() {
  BootHost host{.is_root = ::geteuid() == 0, .systemd_runs = fs::exists("/run/systemd/system"), .run = run_checked};
  const passwd* entry = ::getpwuid(::geteuid());
  host.user = entry != nullptr ? entry->pw_name : std::to_string(::geteuid());
  const std::string config = variable("XDG_CONFIG_HOME");
  host.unit_folder = host.is_root     ? "/etc/systemd/system"
                     : config.empty() ? variable("HOME") + "/.config/systemd/user"
                                      : config + "/systemd/user";
  if (!host.is_root) host.systemd_runs = host.systemd_runs && fs::exists(runtime_folder() + "/systemd/private");
  return host;
}

std::string unit_name(const std::string& data_dir) {
  const std::string xdg = variable("XDG_DATA_HOME");
  const std::string usual = xdg.empty() ? variable("HOME") + "/.local/share/muster" : xdg + "/muster";
  if (real_data_dir(usual) == real_data_dir(data_dir)) return "muster.service";
  return fmt::format("muster-{}.service", sha256_hex(real_data_dir(data_dir)).substr(0, 12));
}

std::string unit_text(const BootUnit& unit, bool is_root) {
  std::string command = unit_word(unit.program) + " serve --data-dir " + unit_word(unit.data_dir);
  for (const std::string& word : unit.args) command += " " + unit_word(word);
  const char* after = is_root ? "Wants=network-online.target\nAfter=network-online.target\n" : "";
  return fmt::format(
      "{}\n"
      "[Unit]\n"
      "Description=Muster, which runs training jobs ({})\n"
      "{}"
      "\n"
      "[Service]\n"
      "Type=notify\n"
      "ExecStart={}\n"
      "# Ranks keep running, and the ports stay taken, while the engine stops, crashes or is replaced.\n"
      "KillMode=process\n"
      "# A rank that uses too much memory is not the engine's end.\n"
      "OOMPolicy=continue\n"
      "# The limits of containers are control groups below that of the unit.\n"
      "Delegate=yes\n"
      "TasksMax=infinity\n"
      "Restart=on-failure\n"
      "RestartSec=1\n"
      "TimeoutStopSec=30\n"
      "StandardOutput=null\n"
      "StandardError=append:{}/engine.log\n"
      "\n"
      "[Install]\n"
      "WantedBy={}\n",
      kMade, without_specifiers(unit.data_dir), after, command, without_specifiers(unit.data_dir),
      is_root ? "multi-user.target" : "default.target");
}

bool has_boot_unit(const BootHost& host, const std::string& data_dir) {
  return read_file(path_of(host, data_dir)).value_or("").starts_with(kMade);
}

Result<std::vector<std::string>> install_boot_unit(const BootHost& host, const BootUnit& unit, bool engine_runs,
                                                   bool& started) {
  started = false;
  const std::string name = unit_name(unit.data_dir);
  const std::string path = path_of(host, unit.data_dir);
  if (fs::exists(path) && !has_boot_unit(host, unit.data_dir)) {
    return Error{.reason = Reason::kConflict,
                 .message = fmt::format("{} is not a unit that muster made; remove it first", path)};
  }
  TRY(make_directories(host.unit_folder, 0755));
  TRY(write_file_atomically(path, unit_text(unit, host.is_root), 0644));
  std::vector<std::string> said{fmt::format("unit        {}", path)};
  const std::string enable = join(systemctl(host, {"enable", name}), " ");
  if (!host.systemd_runs) {
    said.push_back(fmt::format("not enabled because systemd does not run here; where it runs: {}{}", enable,
                               host.is_root ? "" : fmt::format(" && loginctl enable-linger {}", host.user)));
    return said;
  }
  TRY(host.run(systemctl(host, {"daemon-reload"})));
  TRY(host.run(systemctl(host, {"enable", name})));
  said.push_back(fmt::format("enabled     {}: systemd starts the engine at boot", name));
  if (!host.is_root) said.push_back(switch_lingering_on(host));
  if (engine_runs) {
    said.push_back("not started because the engine runs already; systemd looks after it from the next boot on");
    return said;
  }
  TRY(host.run(systemctl(host, {"start", name})));
  started = true;
  return said;
}

Result<std::vector<std::string>> remove_boot_unit(const BootHost& host, const std::string& data_dir) {
  std::vector<std::string> said;
  if (!has_boot_unit(host, data_dir)) return said;
  const std::string name = unit_name(data_dir);
  const std::string path = path_of(host, data_dir);
  if (host.systemd_runs) TRY(host.run(systemctl(host, {"disable", name})));
  std::error_code error;
  if (!fs::remove(path, error) && error) return errno_error("remove " + quote(path), error.value());
  said.push_back(fmt::format("removed {}", path));
  if (!host.systemd_runs) {
    said.push_back(
        fmt::format("systemd does not run here; if {} was enabled, remove its link below {}", name, host.unit_folder));
    return said;
  }
  TRY(host.run(systemctl(host, {"daemon-reload"})));
  if (!host.is_root) {
    said.push_back(
        fmt::format("lingering stays on, others may need it; loginctl disable-linger {} ends it", host.user));
  }
  return said;
}

void notify_systemd() {
  const std::string path = variable("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path.front() == '@') address.sun_path[0] = '\0';  // an abstract one
  ::unsetenv("NOTIFY_SOCKET");                          // it is for this process alone
  const Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  constexpr std::string_view kReady = "READY=1";
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  if (fd) [[maybe_unused]]
    const ssize_t sent = ::sendto(fd.get(), kReady.data(), kReady.size(), MSG_NOSIGNAL,
                                  reinterpret_cast<const sockaddr*>(&address), length);
}

}  // namespace muster
