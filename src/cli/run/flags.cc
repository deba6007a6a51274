#include "cli/run/flags.h"

#include <fmt/core.h>

#include <chrono>

#include "api/muster/limits.h"
#include "base/quantity.h"
#include "base/strings.h"

namespace muster::cli {

namespace {

constexpr std::int64_t kHighestPriority = 100;
constexpr std::int64_t kMostGpus = 4096;  // more than any machine has
constexpr std::int64_t kLeastMemory = 1 << 20;

std::optional<Failure> check_label(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && is_qualified_name(text.substr(0, equals)) &&
      is_label_value(text.substr(equals + 1))) {
    return std::nullopt;
  }
  return usage_failure(
      fmt::format("--label: must be KEY=VALUE of letters, digits, '-', '_' and '.', got {}", quote(text)));
}

/// Returns the numbers of ranks that a number of GPUs can be divided among: "1, 2, 4 or 8".
std::string divisors_of(std::int64_t gpus) {
  std::vector<std::string> all;
  for (std::int64_t i = 1; i <= gpus; ++i) {
    if (gpus % i == 0) all.push_back(std::to_string(i));
  }
  if (all.size() == 1) return all[0];
  const std::string last = all.back();
  all.pop_back();
  return join(all, ", ") + " or " + last;
}

Failure not_divisible(std::int64_t gpus, std::int64_t ranks) {
  return usage_failure(
      fmt::format("--gpus: {0} GPU{4} cannot be divided among {1} ranks, because {0} = {1} * {2} + {3}", gpus, ranks,
                  gpus / ranks, gpus % ranks, gpus == 1 ? "" : "s"),
      fmt::format("--gpus {}, or --ranks {}", (gpus / ranks + 1) * ranks, divisors_of(gpus)));
}

}  // namespace

void RunFlags::add_to(Flags& flags) {
  flags.end_at_first_word();
  flags.add("ranks", &ranks, "number of processes (default: one for each GPU, else 1)");
  for (const char* torchruns : {"nproc-per-node", "nproc_per_node"}) flags.add_old_name("ranks", torchruns);
  flags.explain_values("ranks", {"gpu", "cpu", "auto"}, "muster run --gpus N starts one rank on each of N GPUs");
  flags.add("gpus", &gpus, "GPUs of the job, divided among the ranks (default 0)");
  flags.add("cpu", &cpu, "most CPUs of each rank, such as 2 or 500m");
  flags.add("memory", &memory, "most memory of each rank, such as 4Gi");
  flags.add("name", &name, "name of the job (default: the script's name and five random letters)");
  flags.add("replace", &replace, "delete the job that has this name first");
  flags.add("label", &labels, "label of the job: KEY=VALUE");
  flags.add("module", &module, "run a module instead of a script, as python -m does", 'm');
  flags.end_after("module");
  flags.add("python", &python,
            "interpreter or folder of an environment (default: the active environment, then the project's .venv, "
            "then PATH)");
  flags.add("image", &image, "image that selects the environment (default: none, the Python of this machine)");
  flags.add("env", &env, "environment variable of the script: NAME=VALUE, or NAME for the shell's value", 'e');
  flags.add("secret", &secrets, "the same, with a value that only the script sees");
  flags.add("mount", &mounts, "show a folder to the job: SOURCE[:TARGET][:ro]", 'v');
  flags.add("no-auto-mount", &no_auto_mount, "do not show the folders that arguments and links name");
  flags.add("home", &home, "use your own home folder instead of the one that the engine keeps for jobs");
  flags.add("port", &ports, "publish a port of rank 0 on 127.0.0.1: [LOCAL:]REMOTE", 'p');
  flags.add("restarts", &restarts, "how often the job restarts after a failure of the script (default 0)");
  flags.add("time", &time, "end the job after this time, such as 2h");
  flags.add("queue", &queue, "queue that the job waits in");
  flags.add("priority", &priority, "priority in the queue, 0 to 100; higher numbers go first");
  flags.add("notify", &notify, "tell this target of the configuration, or this URL, how the job goes");
  flags.add("detach", &detach, "create the job and return", 'd');
  flags.add("wait", &wait, "wait for the end without showing the output");
  flags.add("stdin", &stdin_, "pass your input to the script", 'i');
  flags.add("tty", &tty, "run the script on a terminal, for breakpoint() and input()", 't');
}

std::optional<Failure> RunFlags::check() const {
  if (ranks && (*ranks < 1 || *ranks > api::kMaxReplicas)) {
    return usage_failure(fmt::format("--ranks: must be 1 to {}, got {}", api::kMaxReplicas, *ranks));
  }
  if (gpus && (*gpus < 0 || *gpus > kMostGpus)) {
    return usage_failure(fmt::format("--gpus: must be 0 to {}, got {}", kMostGpus, *gpus));
  }
  if (!python.empty() && !image.empty()) {
    return usage_failure("--python and --image: name one, because an image has a Python of its own");
  }
  for (const auto& [flag, text] : {std::pair{"cpu", &cpu}, {"memory", &memory}}) {
    if (text->empty()) continue;
    const auto amount = Quantity::parse(*text);
    if (!amount || amount->value() <= 0) {
      return usage_failure(fmt::format("--{}: must be a quantity such as 2 or 4Gi, got {}", flag, quote(*text)));
    }
    if (text == &memory && amount->value() < kLeastMemory) {
      const std::string meant = parse_int(*text) ? fmt::format("; did you mean {}Gi?", *text) : "";
      return usage_failure(fmt::format("--memory: must be 1Mi or more, got {}{}", quote(*text), meant));
    }
  }
  for (const std::string& text : labels) {
    if (auto problem = check_label(text)) return problem;
  }
  for (const std::string& pair : ports) {
    if (!parse_run_ports(pair)) {
      return usage_failure(fmt::format("--port: must be PORT or LOCAL:REMOTE, from 1 to 65535, got {}", quote(pair)));
    }
  }
  if (restarts < 0) return usage_failure(fmt::format("--restarts: must be 0 or more, got {}", restarts));
  if (time && *time < std::chrono::seconds(1)) return usage_failure("--time: must be 1s or more");
  if (priority && (*priority < 0 || *priority > kHighestPriority)) {
    return usage_failure(fmt::format("--priority: must be 0 to {}, got {}", kHighestPriority, *priority));
  }
  for (const std::string& target : notify) {
    const std::size_t end = target.find("://");
    const std::string scheme = target.substr(0, end);
    if (end == std::string::npos || scheme == "http" || scheme == "https") continue;
    return usage_failure(fmt::format(
        "--notify: must be a target of the configuration, or a URL of http or https, got one of {}", quote(scheme)));
  }
  if (replace && name.empty()) {
    return usage_failure("--replace: requires --name, because a new job has a new name otherwise",
                         "muster run --name train --replace train.py");
  }
  if (detach && wait) return usage_failure("--detach and --wait: give one of them");
  if ((stdin_ || tty) && (detach || wait)) return usage_failure("-it: cannot be used with --detach or --wait");
  if ((stdin_ || tty) && ranks.value_or(1) > 1) {
    return usage_failure(fmt::format("-it: requires a job of one rank, got --ranks {}", *ranks));
  }
  return std::nullopt;
}

std::optional<std::pair<int, int>> parse_run_ports(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto remote = parse_int(colon == std::string::npos ? text : text.substr(colon + 1));
  const auto local = parse_int(text.substr(0, colon));
  const auto fits = [](const auto& port) { return port && *port >= 1 && *port <= 65535; };
  if (!fits(local) || !fits(remote)) return std::nullopt;
  return std::pair(static_cast<int>(*local), static_cast<int>(*remote));
}

std::variant<RunShape, Failure> shape_of(const RunFlags& flags, const RunCommand& command) {
  const std::int64_t gpus = flags.gpus.value_or(0);
  if (const std::string& launcher = command.launcher; !launcher.empty()) {
    if (flags.ranks.value_or(1) > 1) {
      return usage_failure(fmt::format("--ranks: {} starts its processes itself, got {}", launcher, *flags.ranks),
                           "leave out --ranks and tell " + launcher + " how many");
    }
    return RunShape{.ranks = 1, .gpus_per_rank = gpus};
  }
  const bool types = flags.stdin_ || flags.tty;
  const std::int64_t ranks = flags.ranks.value_or(gpus > 0 && !types ? gpus : 1);
  if (gpus % ranks != 0) return not_divisible(gpus, ranks);
  return RunShape{.ranks = ranks, .gpus_per_rank = gpus / ranks};
}

void describe_job(const RunFlags& flags, const RunShape& shape, JobOfScript& to) {
  to.name = flags.name;
  to.ranks = shape.ranks;
  to.image = flags.image.empty() ? "host" : flags.image;
  for (const std::string& text : flags.labels) {
    const std::size_t equals = text.find('=');
    to.labels.set(text.substr(0, equals), text.substr(equals + 1));
  }
  if (shape.gpus_per_rank > 0) to.limits.append("nvidia.com/gpu", std::to_string(shape.gpus_per_rank));
  if (!flags.cpu.empty()) to.limits.append("cpu", flags.cpu);
  if (!flags.memory.empty()) to.limits.append("memory", flags.memory);
  for (const std::string& pair : flags.ports) to.ports.push_back(*parse_run_ports(pair));
  to.restarts = flags.restarts;
  if (flags.time) to.longest = std::chrono::duration_cast<std::chrono::seconds>(*flags.time).count();
  to.queue = flags.queue;
  to.priority = flags.priority;
  to.reads_input = flags.stdin_;
  to.has_terminal = flags.tty;
}

}  // namespace muster::cli
