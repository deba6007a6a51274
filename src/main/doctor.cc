#include "main/doctor.h"

#include <fmt/core.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>

#include "agent/disk/disk_space.h"
#include "agent/machine/machine.h"
#include "agent/network/network_policy.h"
#include "base/files.h"
#include "base/find_program.h"
#include "base/run_program.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/connect/connect.h"
#include "door/door.h"
#include "linux/cgroup.h"
#include "linux/nvml.h"
#include "linux/tcp_port.h"
#include "main/commands.h"
#include "main/config.h"
#include "main/data_dir.h"
#include "main/disk_usage.h"
#include "python/choose.h"

namespace muster {
namespace {

constexpr int kUsualPort = 8765;
constexpr std::int64_t kMinFreeBytes = std::int64_t{1} << 30;
constexpr Duration kProgramLimit = std::chrono::seconds(30);

/// Returns what a program printed on stdout, or nullopt when it failed or took too long.
std::optional<std::string> output_of(std::vector<std::string> words) {
  const auto end = run_program({.words = std::move(words), .env = {}, .quiet = true, .limit = kProgramLimit});
  if (!end || !end->succeeded()) return std::nullopt;
  return std::string(trim(end->output));
}

Check check_engine(const std::string& data_dir, const std::optional<EngineRecord>& engine) {
  const std::string socket = data_dir + "/api.sock";
  const bool answers = cli::ConnectPorts::real().listening(socket);
  if (engine && answers) {
    return {"engine", Health::kGood,
            fmt::format("runs (pid {}) at {}, answers on {}", engine->pid, engine->url, socket)};
  }
  if (engine) {
    return {"engine", Health::kBad, fmt::format("runs (pid {}), but {} does not answer", engine->pid, socket),
            "muster down && muster up; jobs keep running meanwhile"};
  }
  return {"engine", Health::kAbsent, "not running", "muster up"};
}

Check check_data_dir(const std::string& data_dir, const Config& config) {
  std::filesystem::path there = data_dir;
  std::error_code ignored;
  while (!there.empty() && !std::filesystem::exists(there, ignored)) there = there.parent_path();
  if (there.empty()) there = ".";
  if (::access(there.c_str(), W_OK | X_OK) != 0) {
    return {"data", Health::kBad, fmt::format("{} cannot be written", there.string()),
            "chown it to your user, or set MUSTER_DATA_DIR to another folder"};
  }
  const auto space = agent::look_at_space(there);
  if (!space) return {"data", Health::kBad, space.error().message, "set MUSTER_DATA_DIR"};
  const auto reserve = agent::reserve_of(*space, config.disk.reserve);
  if (agent::shortage_of(*space, reserve) != agent::Shortage::kNone) {
    return {"data", Health::kBad,
            fmt::format("{} is writable, {}: no pod starts, and pods that fill the disk are ended", data_dir,
                        agent::shortage_text(*space, reserve)),
            "delete files on its disk, or set MUSTER_DATA_DIR to another disk"};
  }
  const std::string finding = fmt::format("{} is writable, {:.1f} GiB free", data_dir,
                                          static_cast<double>(space->free_bytes) / static_cast<double>(1ull << 30));
  if (space->free_bytes < kMinFreeBytes) {
    return {"data", Health::kBad, finding, "free at least 1 GiB, or set MUSTER_DATA_DIR to another disk"};
  }
  return {"data", Health::kGood, finding};
}

std::optional<Check> check_disk_use(const std::string& data_dir) {
  const auto uses = disk_use(data_dir);
  if (uses.empty()) return std::nullopt;  // no engine has run here
  return Check{"disk", Health::kGood, disk_use_text(uses)};
}

/// Returns the interpreters available to pods: the one that `muster run` takes here, those of the configured
/// environments, and the machine's own.
std::vector<std::string> interpreters(const Config& config, const Result<python::Choice>& of_run) {
  std::vector<std::string> out;
  if (of_run) out.push_back(of_run->interpreter.program);
  for (const EnvironmentConfig& environment : config.environments) {
    if (!environment.venv.empty()) out.push_back(environment.venv + "/bin/python");
  }
  out.push_back(find_program("python3", kUsualPath));
  return out;
}

void check_python(const Config& config, std::vector<Check>& checks) {
  constexpr const char* kAsk =
      "import sys, importlib.metadata as m\n"
      "print(sys.executable, 'Python', sys.version.split()[0])\n"
      "try:\n"
      "    import torch\n"
      "    gpus = torch.cuda.device_count()\n"
      "    print(torch.__version__, 'with', gpus, 'GPU' if gpus == 1 else 'GPUs')\n"
      "except ImportError: pass\n";
  const cli::RunFrom here = cli::run_from_here();
  const auto of_run = python::choose_python(cli::python_search(here, here.working_dir));
  Check python{"python", Health::kBad, of_run ? "it does not start" : of_run.error().message,
               "install python3 (on Debian: apt install python3)"};
  Check torch{"torch", Health::kAbsent, "in no environment; PyTorch jobs will not find it",
              "tools/install_packages train, or name a virtual environment in config.yaml"};
  for (const std::string& program : interpreters(config, of_run)) {
    if (program.empty()) continue;
    const auto said = output_of({program, "-c", kAsk});
    if (!said) continue;
    const auto lines = split(*said, '\n');
    const bool is_of_run = of_run && program == of_run->interpreter.program;
    if (is_of_run)
      python = {"python", Health::kGood, fmt::format("{}: `muster run` takes it here ({})", lines[0], of_run->why)};
    if (python.health != Health::kGood && !of_run) python = {"python", Health::kGood, lines[0]};
    if (lines.size() > 1) {
      torch = {"torch", Health::kGood, fmt::format("{} in {}", lines[1], lines[0].substr(0, lines[0].find(' ')))};
      break;
    }
  }
  checks.push_back(std::move(python));
  checks.push_back(std::move(torch));
}

/// Tries in a child process the namespaces that the sandbox needs.
Check check_sandbox() {
  const bool root = ::geteuid() == 0;
  const int flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | (root ? 0 : CLONE_NEWUSER);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::unshare(flags) == 0 ? 0 : errno);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
    return {"sandbox", Health::kBad, "could not be tried", "raise the limit on processes: ulimit -u"};
  }
  if (WEXITSTATUS(status) == 0) {
    return {"sandbox", Health::kGood,
            root ? "root: pods get mount, PID, IPC and UTS namespaces"
                 : "user namespaces work: pods get mount, PID, IPC and UTS namespaces without root"};
  }
  const std::string why = errno_error("unshare", WEXITSTATUS(status)).message;
  return {"sandbox", Health::kBad, "pods cannot be isolated: " + why,
          root ? "run with CAP_SYS_ADMIN (docker run --privileged)"
               : "sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000\n"
                 "on Ubuntu also: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"};
}

/// A machine on which no engine has run has no folder for the program that tries it.
Check check_network(const std::string& data_dir, const Config& config) {
  std::error_code ignored;
  const bool has_run = std::filesystem::is_directory(data_dir, ignored);
  const std::string folder =
      has_run ? data_dir
              : fmt::format("{}/muster-{}", std::filesystem::temp_directory_path(ignored).string(), ::getpid());
  if (const auto made = make_directories(folder, 0700); !made)
    return {"network", Health::kBad, made.error().message, "free some space in the folder for temporary files"};
  const auto policy = agent::find_network_policy(config.network.mode, folder);
  if (!has_run) std::filesystem::remove_all(folder, ignored);
  if (!policy) return {"network", Health::kBad, policy.error().message, "correct `network` in config.yaml"};
  const bool has_all = policy->missing.empty() && policy->takes_ports.empty();
  return {"network", has_all ? Health::kGood : Health::kAbsent, agent::describe_network(*policy),
          "provide what is missing, then muster down && muster up"};
}

Check check_cgroups(const std::string& data_dir) {
  const auto tree = linux_os::CgroupTree::find(agent::cgroup_name(data_dir));
  return {"cgroup", tree.missing().empty() ? Health::kGood : Health::kAbsent, agent::describe_limits(tree),
          "run the engine as root, or let systemd delegate the controllers:\n"
          "systemctl edit user@.service, with [Service] Delegate=cpu memory pids"};
}

Check check_gpus() {
  const auto driver = linux_os::load_nvml();
  if (!driver && driver.error().reason == Reason::kNotFound)
    return {"gpu", Health::kAbsent, "no NVIDIA driver",
            "install it, or declare nvidia.com/gpu under resources in config.yaml"};
  const auto gpus = driver ? (*driver)->devices() : Result<std::vector<linux_os::Gpu>>(driver.error());
  if (!gpus) return {"gpu", Health::kBad, gpus.error().message, "nvidia-smi shows more"};
  std::vector<std::string> found;
  for (const linux_os::Gpu& gpu : *gpus) {
    found.push_back(fmt::format("{} ({:.0f} GiB, /dev/nvidia{})", gpu.name,
                                static_cast<double>(gpu.memory) / static_cast<double>(1ull << 30), gpu.minor));
  }
  return {"gpu", Health::kGood, found.empty() ? "the driver has no devices" : join(found, ", ")};
}

Check check_port(const std::string& data_dir, const std::optional<EngineRecord>& engine) {
  const bool held = door::has_door(data_dir);
  if (engine) {
    const char* kept = held ? ", also while it restarts" : "";
    return {"port", Health::kGood, engine->url + " is the engine's" + kept};
  }
  if (held) return {"port", Health::kGood, last_address(data_dir) + " is kept for the engine until muster up or down"};
  if (linux_os::is_port_free(kUsualPort)) return {"port", Health::kGood, fmt::format("{} is free", kUsualPort)};
  return {"port", Health::kBad, fmt::format("{} is taken by another program", kUsualPort),
          "muster up --listen 127.0.0.1:PORT with another port"};
}

/// Certificates and the ages of objects need a plausible date.
Check check_clock(const std::string& data_dir) {
  const std::time_t now = std::time(nullptr);
  struct tm date {};
  ::gmtime_r(&now, &date);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &date);
  struct stat last {};
  const bool has_run = ::stat((data_dir + "/pki/ca.crt").c_str(), &last) == 0;
  if (date.tm_year + 1900 < 2024 || (has_run && last.st_mtime > now + 60)) {
    return {"clock", Health::kBad, fmt::format("says {}, which is in the past", text), "timedatectl set-ntp true"};
  }
  return {"clock", Health::kGood, text};
}

}  // namespace

std::vector<Check> check_machine(const std::string& data_dir) {
  std::vector<Check> checks;
  const auto engine = running_engine(data_dir);
  checks.push_back(check_engine(data_dir, engine));
  const std::string file = data_dir + "/config.yaml";
  auto config = std::filesystem::exists(file) ? load_config(file, data_dir) : parse_config("", file);
  checks.push_back(check_data_dir(data_dir, config.value_or(Config{})));
  if (auto disk = check_disk_use(data_dir)) checks.push_back(*std::move(disk));
  if (!config) checks.push_back({"config", Health::kBad, config.error().message, "correct " + file});
  const Status environments = config ? check_environments(*config, data_dir) : ok();
  if (!environments) checks.push_back({"config", Health::kBad, environments.error().message, "correct " + file});
  check_python(config.value_or(Config{}), checks);
  checks.push_back(check_sandbox());
  checks.push_back(check_network(data_dir, config.value_or(Config{})));
  checks.push_back(check_cgroups(data_dir));
  checks.push_back(check_gpus());
  checks.push_back(check_port(data_dir, engine));
  checks.push_back(check_clock(data_dir));
  return checks;
}

namespace {

class Doctor final : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override { flags.add("data-dir", &data_dir_, "data folder of the engine"); }

  int run(cli::Session& session, const std::vector<std::string>&) override {
    const auto checks = check_machine(data_dir_);
    session.out(cli::report_of(checks));
    return cli::has_bad(checks) ? cli::kExitFailed : cli::kExitOk;
  }

 private:
  std::string data_dir_ = default_data_dir();
};

}  // namespace

std::unique_ptr<cli::Command> make_doctor() {
  return std::make_unique<Doctor>();
}

}  // namespace muster
