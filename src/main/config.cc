#include "main/config.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "api/host_folders.h"
#include "arena/code_sync/git_sync.h"
#include "base/files.h"
#include "base/strings.h"
#include "base/time.h"
#include "json/yaml.h"
#include "main/data_dir.h"
#include "reflect/describe.h"
#include "reflect/reflect.h"

namespace muster::reflect {

TypeDesc describe(Of<EnvironmentMount>) {
  return object<EnvironmentMount>("EnvironmentMount", "A folder of this machine that containers see, read-only.",
                                  field<&EnvironmentMount::path>("path", "Where they see it.").required(),
                                  field<&EnvironmentMount::from>("from", "The folder.").required());
}

TypeDesc describe(Of<EnvironmentConfig>) {
  return object<EnvironmentConfig>(
      "Environment", "Environment of the images whose name matches a pattern.",
      field<&EnvironmentConfig::image>("image", "Pattern of image names; * matches any characters.").required(),
      field<&EnvironmentConfig::venv>("venv",
                                      "Folder of a Python virtual environment; its bin comes first on the PATH."),
      field<&EnvironmentConfig::rootfs>("rootfs", "Folder with the unpacked root file system of an image."),
      field<&EnvironmentConfig::host>("host", "Use the machine's own programs as they are."),
      field<&EnvironmentConfig::env>("env", "Variables set in the pod unless its container sets them."),
      field<&EnvironmentConfig::writable>("writable", "Containers may change it; the changes are removed with them."),
      field<&EnvironmentConfig::working_dir>("workingDir", "Working directory of containers that set none."),
      field<&EnvironmentConfig::command>("command", "Command of containers that set none."),
      field<&EnvironmentConfig::mounts>("mounts", "Folders of this machine that containers see, read-only."),
      field<&EnvironmentConfig::home>("home", "Folder behind $HOME, kept across pods."));
}

TypeDesc describe(Of<SnapshotsConfig>) {
  return object<SnapshotsConfig>(
      "Snapshots", "Automatic copies of the database.",
      field<&SnapshotsConfig::every>("every", "Time between two of them, such as 1h; 0s disables them.")
          .default_value("1h"),
      field<&SnapshotsConfig::keep>("keep", "How many are kept; older ones are removed.").min(1).default_value(24));
}

TypeDesc describe(Of<LogsConfig>) {
  return object<LogsConfig>(
      "Logs", "How much of logs is kept; the oldest are removed first.",
      field<&LogsConfig::max_bytes_per_container>(
          "maxBytesPerContainer",
          "Bytes of one run of a container, such as 50Mi; its earlier runs together get as much again.")
          .default_value("50Mi"),
      field<&LogsConfig::keep_for>("keepFor",
                                   "How long the logs of deleted pods and of earlier runs are kept, such as 168h.")
          .default_value("168h"),
      field<&LogsConfig::keep_bytes>("keepBytes", "Bytes of the logs of all deleted pods, such as 1Gi.")
          .default_value("1Gi"),
      field<&LogsConfig::keep_pods>("keepPods", "How many deleted pods keep their logs.").min(0).default_value(500));
}

TypeDesc describe(Of<DiskConfig>) {
  return object<DiskConfig>("Disk", "How much of the disk pods may fill.",
                            field<&DiskConfig::reserve>(
                                "reserve",
                                "Free space, such as 512Mi, below which the engine ends the pods that fill the disk of "
                                "its data folder; 0 never ends them."));
}

TypeDesc describe(Of<NetworkConfig>) {
  return object<NetworkConfig>(
      "Network", "The network of pods.",
      field<&NetworkConfig::mode>("mode", "Whether the pods of a job have a network of their own.")
          .one_of({"auto", "job", "host"})
          .default_value("auto"),
      field<&NetworkConfig::allow>(
          "allow", "Ports of this machine that pods in networks of their own reach too, such as 127.0.0.1:5000."));
}

TypeDesc describe(Of<QueueConfig>) {
  return object<QueueConfig>(
      "Queue", "A queue that the engine creates when it starts.",
      field<&QueueConfig::name>("name", "Name of the queue; default is the one of jobs that name none.").required(),
      field<&QueueConfig::quota>("quota", "Maximum of each resource that its pods may request together."),
      field<&QueueConfig::priority>("priority", "Priority among queues; higher numbers go first.").min(0).max(100),
      field<&QueueConfig::closed>("closed", "While true, the queue accepts no new pods."),
      field<&QueueConfig::namespaces>("namespaces", "Namespaces that may use the queue; all if not set."));
}

TypeDesc describe(Of<GitConfig>) {
  return object<GitConfig>(
      "Git", "How the code of Arena's jobs is fetched.",
      field<&GitConfig::instead_of>("insteadOf", "Addresses that start with the key are fetched from the value."),
      field<&GitConfig::allowed_schemes>("allowedSchemes", "Schemes of addresses; by default https, http, ssh, git."));
}

TypeDesc describe(Of<MetricsConfig>) {
  return object<MetricsConfig>(
      "Metrics", "What pods used over time.",
      field<&MetricsConfig::history>("history", "How much history of a pod is kept, such as 24h.").default_value("24h"),
      field<&MetricsConfig::keep_ended>("keepEnded", "How long it is kept after the pod ended, such as 168h.")
          .default_value("168h"),
      field<&MetricsConfig::max_size>("maxSize", "Maximum disk space; the oldest are removed first.")
          .default_value("256Mi"));
}

TypeDesc describe(Of<TensorBoardConfig>) {
  return object<TensorBoardConfig>("TensorBoards", "How TensorBoards run.",
                                   field<&TensorBoardConfig::idle_after>(
                                       "idleAfter", "How long one runs without a visitor, such as 1h; 0s: forever.")
                                       .default_value("1h"));
}

TypeDesc describe(Of<LimitsConfig>) {
  return object<LimitsConfig>(
      "Limits", "What the objects of one namespace may take.",
      field<&LimitsConfig::objects_per_namespace>("objectsPerNamespace", "Maximum number of objects of a namespace.")
          .min(100)
          .default_value(250'000),
      field<&LimitsConfig::bytes_per_namespace>("bytesPerNamespace",
                                                "Maximum bytes of the objects of a namespace, such as 1Gi.")
          .default_value("1Gi"));
}

TypeDesc describe(Of<Config>) {
  return object<Config>(
      "Config", "Configuration of the engine.",
      field<&Config::listen>("listen", "HOST:PORT to listen on; --listen overrides it."),
      field<&Config::content_listen>(
          "contentListen", "HOST:PORT for the pages of programs in pods; by default the port after the main one."),
      field<&Config::environments>("environments", "Which environment an image selects; the first match wins."),
      field<&Config::unmapped>("unmapped", "What an image gets that no pattern matches.")
          .one_of({"host", "refuse"})
          .default_value("host"),
      field<&Config::visible>("visible", "Folders of this machine that pods see, read-only, besides the system's."),
      field<&Config::host_paths>("hostPaths", "Folders of this machine that may contain hostPath volumes."),
      field<&Config::resources>("resources", "Extended resources that this machine offers, such as nvidia.com/gpu."),
      field<&Config::processes_per_container>(
          "processesPerContainer",
          "Maximum number of processes and threads of a container; by default 4096, or 512 per CPU.")
          .min(16),
      field<&Config::event_ttl>("eventTTL", "How long an Event is kept after its last change, such as 1h or 30m.")
          .default_value("1h"),
      field<&Config::snapshots>("snapshots", "Automatic copies of the database."),
      field<&Config::logs>("logs", "How much of logs is kept."),
      field<&Config::disk>("disk", "How much of the disk pods may fill."),
      field<&Config::network>("network", "The network of pods; `network: host` is short for its mode."),
      field<&Config::scheduling>("scheduling", "Whether CPU and memory make pods wait, as GPUs do.")
          .one_of({"lenient", "strict"})
          .default_value("lenient"),
      field<&Config::queues>("queues", "Queues that the engine creates when it starts.").list_map_key("name"),
      field<&Config::stalled_after>(
          "stalledAfter", "Time without output, CPU and GPU use after which a job is stalled, such as 10m; 0s: never.")
          .default_value("10m"),
      field<&Config::tensorboard>("tensorboard", "How TensorBoards run."),
      field<&Config::metrics>("metrics", "What pods used over time."),
      field<&Config::git>("git", "How the code of Arena's jobs is fetched."),
      field<&Config::limits>("limits", "What the objects of one namespace may take."),
      field<&Config::notify>("notify", "Who is told about jobs, and how.").list_map_key("name"));
}

}  // namespace muster::reflect

namespace muster {
namespace {

/// Returns "config.yaml:3:5: " for the field, or for its nearest ancestor that is in the file.
std::string position(const std::string& file, const json::YamlDocument& document, std::string path) {
  while (!path.empty()) {
    if (const auto mark = document.marks.find(path); mark != document.marks.end()) {
      return fmt::format("{}:{}:{}: ", file, mark->second.line, mark->second.column);
    }
    const auto cut = path.find_last_of(".[");
    path.resize(cut == std::string::npos ? 0 : cut);
  }
  return file + ": ";
}

/// Where a configuration comes from, and whose.
struct Source {
  const std::string& file;
  std::string data_dir;  // without symbolic links
};

std::vector<std::string> problems_in(const json::YamlDocument& document, const std::string& file) {
  const reflect::TypeDesc& type = reflect::type_of<Config>();
  std::vector<std::string> problems;
  for (const auto& unknown : reflect::unknown_fields(type, document.value)) {
    const std::string hint =
        unknown.suggestion.empty() ? "" : fmt::format("; did you mean \"{}\"?", unknown.suggestion);
    problems.push_back(
        fmt::format("{}unknown key \"{}\"{}", position(file, document, unknown.path), unknown.path, hint));
  }
  for (const auto& cause : reflect::validate(type, document.value)) {
    problems.push_back(fmt::format("{}{}: {}", position(file, document, cause.field), cause.field, cause.message));
  }
  return problems;
}

/// Returns what is wrong with a folder that pods may see, or "".
std::string folder_problem(const std::string& path, const std::string& data_dir) {
  if (std::string problem = api::named_folder_problem(path, data_dir); !problem.empty()) return problem;
  if (!std::filesystem::is_directory(path)) return "must be an existing folder";
  // A symbolic link may lead to what must not be named.
  return api::named_folder_problem(std::filesystem::canonical(path), data_dir);
}

std::vector<std::string> problems_of_folders(const std::string& key, const std::vector<std::string>& folders,
                                             const json::YamlDocument& document, const Source& source) {
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::string problem = folder_problem(folders[i], source.data_dir);
    const std::string at = fmt::format("{}[{}]", key, i);
    if (!problem.empty())
      problems.push_back(
          fmt::format("{}{}: {}, got {}", position(source.file, document, at), at, problem, quote(folders[i])));
  }
  return problems;
}

Status check_values(const Config& config, const json::YamlDocument& document, const Source& source) {
  const std::string& file = source.file;
  std::vector<std::string> problems = problems_of_folders("visible", config.visible, document, source);
  for (std::string& problem : problems_of_folders("hostPaths", config.host_paths, document, source)) {
    problems.push_back(std::move(problem));
  }
  if (parse_duration(config.stalled_after).value_or(Duration(-1)) < Duration(0)) {
    problems.push_back(fmt::format("{}stalledAfter: must be a duration, got {}; write 10m, or 0s for never",
                                   position(file, document, "stalledAfter"), quote(config.stalled_after)));
  }
  if (parse_duration(config.tensorboard.idle_after).value_or(Duration(-1)) < Duration(0)) {
    problems.push_back(fmt::format("{}tensorboard.idleAfter: must be a duration, got {}; write 1h, or 0s for never",
                                   position(file, document, "tensorboard.idleAfter"),
                                   quote(config.tensorboard.idle_after)));
  }
  if (parse_duration(config.event_ttl).value_or(Duration(0)) <= Duration(0)) {
    problems.push_back(fmt::format("{}eventTTL: must be a duration above zero, got \"{}\"; write 1h or 30m",
                                   position(file, document, "eventTTL"), config.event_ttl));
  }
  for (const auto& [key, value] : {std::pair("listen", config.listen), {"contentListen", config.content_listen}}) {
    const auto address = parse_address(value);
    if (value.empty() || address) continue;
    problems.push_back(fmt::format("{}{}: {}", position(file, document, key), key, address.error().message));
  }
  if (config.disk.reserve.value_or(Quantity()) < Quantity()) {
    problems.push_back(fmt::format("{}disk.reserve: must be 0 or more, got {}; write 512Mi, or 0 for no reserve",
                                   position(file, document, "disk.reserve"), config.disk.reserve->text()));
  }
  for (const std::string& allowed : config.network.allow) {
    const auto address = parse_address(allowed);
    if (address && address->port > 0 && address->host.starts_with("127.")) continue;
    problems.push_back(
        fmt::format("{}network.allow: must be an address of loopback and a port, such as 127.0.0.1:5000, got {}",
                    position(file, document, "network.allow"), quote(allowed)));
  }
  if (config.limits.bytes_per_namespace.value() < (1 << 20)) {
    problems.push_back(fmt::format("{}limits.bytesPerNamespace: must be at least 1Mi, got {}",
                                   position(file, document, "limits.bytesPerNamespace"),
                                   config.limits.bytes_per_namespace.text()));
  }
  for (std::size_t i = 0; i < config.environments.size(); ++i) {
    const EnvironmentConfig& environment = config.environments[i];
    if (!environment.venv.empty() + !environment.rootfs.empty() + environment.host != 1) {
      problems.push_back(fmt::format("{}environments[{}]: give one of venv, rootfs and host: true",
                                     position(file, document, fmt::format("environments[{}]", i)), i));
    }
  }
  for (std::size_t i = 0; i < config.notify.size(); ++i) {
    for (const auto& [key, problem] : problems_of_notify(config.notify[i])) {
      const std::string at = fmt::format("notify[{}].{}", i, key);
      problems.push_back(fmt::format("{}{}: {}", position(file, document, at), at, problem));
    }
  }
  if (problems.empty()) return ok();
  return Error{.reason = Reason::kInvalid, .message = join(problems, "\n")};
}

std::vector<std::string> problems_of_environment(const EnvironmentConfig& environment, const std::string& data_dir) {
  std::vector<std::string> problems;
  const auto check = [&](const std::string& key, const std::string& folder) {
    const std::string problem = folder.empty() ? "" : folder_problem(folder, data_dir);
    if (!problem.empty()) problems.push_back(fmt::format("{}: {}, got {}", key, problem, quote(folder)));
  };
  check("rootfs", environment.rootfs);
  for (std::size_t i = 0; i < environment.mounts.size(); ++i) {
    check(fmt::format("mounts[{}].from", i), environment.mounts[i].from);
    if (const auto& path = environment.mounts[i].path; !api::named_folder_problem(path, "").empty()) {
      problems.push_back(
          fmt::format("mounts[{}].path: {}, got {}", i, api::named_folder_problem(path, ""), quote(path)));
    }
  }
  // The folder behind $HOME is made when it is missing.
  if (!environment.home.empty()) {
    const std::string problem = api::named_folder_problem(environment.home, data_dir);
    if (!problem.empty()) problems.push_back(fmt::format("home: {}, got {}", problem, quote(environment.home)));
  }
  if (!environment.working_dir.empty() && !environment.working_dir.starts_with('/')) {
    problems.push_back(fmt::format("workingDir: must be an absolute path, got {}", quote(environment.working_dir)));
  }
  const std::string python = environment.venv + "/bin/python";
  if (!environment.venv.empty() && ::access(python.c_str(), X_OK) != 0) {
    problems.push_back(fmt::format("venv: {} has no bin/python; create it with `python3 -m venv {}`",
                                   quote(environment.venv), environment.venv));
  }
  return problems;
}

Status check_snapshots(Config& config, const json::YamlDocument& document, const std::string& file) {
  SnapshotsConfig& snapshots = config.snapshots;
  if (snapshots.every.empty()) snapshots = SnapshotsConfig{.every = "1h", .keep = 24};
  const auto every = parse_duration(snapshots.every);
  if (every && (*every == Duration(0) || *every >= std::chrono::minutes(1))) return ok();
  return Error{.reason = Reason::kInvalid,
               .message = fmt::format("{}snapshots.every: must be 0s, or 1m or more, got {}",
                                      position(file, document, "snapshots.every"), quote(snapshots.every))};
}

LogsConfig usual_logs() {
  return {.max_bytes_per_container = *Quantity::parse("50Mi"),
          .keep_for = "168h",
          .keep_bytes = *Quantity::parse("1Gi"),
          .keep_pods = 500};
}

Status check_logs(Config& config, const json::YamlDocument& document, const std::string& file) {
  LogsConfig& logs = config.logs;
  if (logs.keep_for.empty()) logs = usual_logs();
  if (parse_duration(logs.keep_for).value_or(Duration(0)) <= Duration(0)) {
    return Error{.reason = Reason::kInvalid,
                 .message = fmt::format("{}logs.keepFor: must be a duration above zero, got {}; write 168h or 30m",
                                        position(file, document, "logs.keepFor"), quote(logs.keep_for))};
  }
  constexpr std::int64_t kLeast = 64 * 1024;
  if (logs.max_bytes_per_container.value() < kLeast) {
    return Error{.reason = Reason::kInvalid,
                 .message = fmt::format("{}logs.maxBytesPerContainer: must be at least 64Ki, got {}",
                                        position(file, document, "logs.maxBytesPerContainer"),
                                        logs.max_bytes_per_container.text())};
  }
  return ok();
}

Status check_metrics(const MetricsConfig& metrics, const json::YamlDocument& document, const std::string& file) {
  constexpr Duration kLongestHistory = std::chrono::hours(31 * 24);  // a file of 6 MB for each pod
  std::vector<std::string> problems;
  const auto history = parse_duration(metrics.history).value_or(Duration(0));
  if (history < std::chrono::minutes(10) || history > kLongestHistory) {
    problems.push_back(fmt::format("{}metrics.history: must be 10m to 744h, got {}; write 24h",
                                   position(file, document, "metrics.history"), quote(metrics.history)));
  }
  if (parse_duration(metrics.keep_ended).value_or(Duration(-1)) < Duration(0)) {
    problems.push_back(fmt::format("{}metrics.keepEnded: must be a duration, got {}; write 168h",
                                   position(file, document, "metrics.keepEnded"), quote(metrics.keep_ended)));
  }
  if (problems.empty()) return ok();
  return Error{.reason = Reason::kInvalid, .message = join(problems, "\n")};
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto port = colon == std::string_view::npos ? std::nullopt : parse_int(text.substr(colon + 1));
  if (port && *port >= 0 && *port <= 65535) {
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    return Address{.host = std::string(host), .port = static_cast<int>(*port)};
  }
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("must be HOST:PORT, got {}; for example 127.0.0.1:8765", quote(text))};
}

namespace {

/// `network: host` means `network: {mode: host}`.
void expand_network(json::Document& config) {
  const json::Document* network = config.find("network");
  if (network == nullptr || !network->is_string()) return;
  config.as_object().set("network", json::Document(json::Object{{"mode", network->as_string()}}));
}

}  // namespace

Result<Config> parse_config(std::string_view yaml, const std::string& file, const std::string& data_dir) {
  auto documents = json::parse_yaml(yaml);
  if (!documents) return in_context(file, std::move(documents).error());
  if (documents->empty()) {
    return Config{.listen = "",
                  .content_listen = "",
                  .environments = {},
                  .unmapped = "host",
                  .visible = {},
                  .host_paths = {},
                  .resources = {},
                  .processes_per_container = 0,
                  .event_ttl = "1h",
                  .snapshots = {.every = "1h", .keep = 24},
                  .logs = usual_logs(),
                  .disk = {},
                  .scheduling = "lenient",
                  .network = {},
                  .queues = {},
                  .stalled_after = "10m",
                  .tensorboard = {},
                  .metrics = {},
                  .git = {}};
  }
  if (documents->size() > 1) {
    return Error{.reason = Reason::kInvalid, .message = file + ": holds more than one YAML document; keep the first"};
  }
  json::YamlDocument& document = documents->front();
  expand_network(document.value);
  if (const auto problems = problems_in(document, file); !problems.empty()) {
    return Error{.reason = Reason::kInvalid, .message = join(problems, "\n")};
  }
  reflect::apply_defaults(reflect::type_of<Config>(), document.value);
  TRY_ASSIGN(Config config, reflect::decode<Config>(document.value));
  TRY(check_values(config, document, {.file = file, .data_dir = real_data_dir(data_dir)}));
  TRY(check_snapshots(config, document, file));
  TRY(check_logs(config, document, file));
  TRY(check_metrics(config.metrics, document, file));
  return config;
}

namespace {

EnvironmentConfig git_sync_environment(const GitConfig& git) {
  EnvironmentConfig to{.image = "*git-sync*", .host = true, .command = {arena::kGitSyncProgram}};
  if (!git.allowed_schemes.empty()) to.env[arena::kAllowedSchemesVariable] = join(git.allowed_schemes, ":");
  // git reads configuration from such variables, so that no file has to be made.
  std::size_t count = 0;
  for (const auto& [prefix, base] : git.instead_of) {
    to.env[fmt::format("GIT_CONFIG_KEY_{}", count)] = fmt::format("url.{}.insteadOf", base);
    to.env[fmt::format("GIT_CONFIG_VALUE_{}", count)] = prefix;
    ++count;
  }
  if (count > 0) to.env["GIT_CONFIG_COUNT"] = std::to_string(count);
  return to;
}

/// The machine's own rsync, whose command `arena submit` writes into the object.
EnvironmentConfig rsync_environment() {
  return {.image = "*/rsync:*", .host = true};
}

}  // namespace

void add_built_in_environments(Config& config) {
  // A pattern such as '*' means images of people's jobs; it must not hide the programs that stand in for these images.
  // A pattern that names one of them still counts first: somebody brings the real image.
  const auto names_one = [](const EnvironmentConfig& environment) {
    return environment.image.find("git-sync") != std::string::npos ||
           environment.image.find("rsync") != std::string::npos;
  };
  auto& all = config.environments;
  const auto others = std::stable_partition(all.begin(), all.end(), names_one);
  all.insert(others, {git_sync_environment(config.git), rsync_environment()});
}

Status check_environments(const Config& config, const std::string& data_dir) {
  const std::string real = real_data_dir(data_dir);
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < config.environments.size(); ++i) {
    for (const std::string& problem : problems_of_environment(config.environments[i], real)) {
      problems.push_back(fmt::format("environments[{}].{}", i, problem));
    }
  }
  if (problems.empty()) return ok();
  return Error{.reason = Reason::kInvalid, .message = join(problems, "\n")};
}

Result<Config> load_config(const std::string& path, const std::string& data_dir) {
  TRY_ASSIGN(const std::string text, read_file(path));
  return parse_config(text, path, data_dir);
}

}  // namespace muster
