#include "main/config.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/files.h"
#include "base/strings.h"
#include "base/time.h"
#include "json/yaml.h"
#include "reflect/describe.h"
#include "reflect/reflect.h"

namespace muster::reflect {

TypeDesc describe(Of<EnvironmentConfig>) {
  return object<EnvironmentConfig>(
      "Environment", "What stands in for images whose name matches a pattern.",
      field<&EnvironmentConfig::image>("image", "Pattern of image names; * matches any characters.").required(),
      field<&EnvironmentConfig::venv>("venv",
                                      "Folder of a Python virtual environment; its bin comes first on the PATH."),
      field<&EnvironmentConfig::host>("host", "Use the machine's own programs as they are."),
      field<&EnvironmentConfig::env>("env", "Variables set in the pod unless its container sets them."));
}

TypeDesc describe(Of<SnapshotsConfig>) {
  return object<SnapshotsConfig>(
      "Snapshots", "Copies of the database that the engine makes by itself.",
      field<&SnapshotsConfig::every>("every", "Time between two of them, such as 1h; 0s makes none.")
          .default_value("1h"),
      field<&SnapshotsConfig::keep>("keep", "How many are kept; older ones are removed.").min(1).default_value(24));
}

TypeDesc describe(Of<QueueConfig>) {
  return object<QueueConfig>(
      "Queue", "A queue that exists when the engine has started.",
      field<&QueueConfig::name>("name", "Name of the queue; default is the one of jobs that name none.").required(),
      field<&QueueConfig::quota>("quota", "Most of each resource that its pods may request together."),
      field<&QueueConfig::priority>("priority", "Rank among queues; larger goes first.").min(0).max(100),
      field<&QueueConfig::closed>("closed", "While true, the queue takes no new pods."),
      field<&QueueConfig::namespaces>("namespaces", "Namespaces that may use the queue; all when not set."));
}

TypeDesc describe(Of<Config>) {
  return object<Config>(
      "Config", "Configuration of the engine.",
      field<&Config::listen>("listen", "HOST:PORT to serve on, unless --listen says another."),
      field<&Config::content_listen>(
          "contentListen", "HOST:PORT for what programs in pods render; by default the port after the main one."),
      field<&Config::environments>("environments", "Which environment an image selects; the first match wins."),
      field<&Config::unmapped>("unmapped", "What an image that no pattern matches gets.")
          .one_of({"host", "refuse"})
          .default_value("host"),
      field<&Config::visible>("visible", "Folders of this machine that pods see, read-only, besides the system's."),
      field<&Config::resources>("resources", "Extended resources this machine offers, such as nvidia.com/gpu."),
      field<&Config::processes_per_container>(
          "processesPerContainer", "The most processes and threads of a container; by default 4096, or 512 per CPU.")
          .min(16),
      field<&Config::event_ttl>("eventTTL", "How long an Event is kept after its last change, such as 1h or 30m.")
          .default_value("1h"),
      field<&Config::snapshots>("snapshots", "Copies of the database that the engine makes by itself."),
      field<&Config::scheduling>("scheduling", "Whether CPU and memory make pods wait, as GPUs do.")
          .one_of({"lenient", "strict"})
          .default_value("lenient"),
      field<&Config::queues>("queues", "Queues that exist when the engine has started.").list_map_key("name"));
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

/// Returns true for a folder that pods may see: what the kernel shows there depends on who looks.
bool is_clean_folder(const std::string& path) {
  const std::filesystem::path given(path);
  const std::string top = given.begin() == given.end() ? "" : given.lexically_relative("/").begin()->string();
  return given.is_absolute() && given == given.lexically_normal() && top != "." && top != "proc" && top != "dev" &&
         top != "sys" && std::filesystem::is_directory(given);
}

Status check_values(const Config& config, const json::YamlDocument& document, const std::string& file) {
  std::vector<std::string> problems;
  if (parse_duration(config.event_ttl).value_or(Duration(0)) <= Duration(0)) {
    problems.push_back(fmt::format("{}eventTTL: must be a duration above zero, got \"{}\"; write 1h or 30m",
                                   position(file, document, "eventTTL"), config.event_ttl));
  }
  for (const auto& [key, value] : {std::pair("listen", config.listen), {"contentListen", config.content_listen}}) {
    const auto address = parse_address(value);
    if (value.empty() || address) continue;
    problems.push_back(fmt::format("{}{}: {}", position(file, document, key), key, address.error().message));
  }
  for (std::size_t i = 0; i < config.environments.size(); ++i) {
    const EnvironmentConfig& environment = config.environments[i];
    if (environment.venv.empty() == !environment.host) {
      problems.push_back(fmt::format("{}environments[{}]: give either venv or host: true",
                                     position(file, document, fmt::format("environments[{}]", i)), i));
    }
  }
  for (std::size_t i = 0; i < config.visible.size(); ++i) {
    if (is_clean_folder(config.visible[i])) continue;
    problems.push_back(
        fmt::format("{}visible[{}]: must be an existing folder, absolute and without \"..\", not /, /proc, "
                    "/dev or /sys, got {}",
                    position(file, document, fmt::format("visible[{}]", i)), i, quote(config.visible[i])));
  }
  if (problems.empty()) return ok();
  return Error{.reason = Reason::kInvalid, .message = join(problems, "\n")};
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

Result<Config> parse_config(std::string_view yaml, const std::string& file) {
  auto documents = json::parse_yaml(yaml);
  if (!documents) return in_context(file, std::move(documents).error());
  if (documents->empty()) {
    return Config{.listen = "",
                  .content_listen = "",
                  .environments = {},
                  .unmapped = "host",
                  .visible = {},
                  .resources = {},
                  .processes_per_container = 0,
                  .event_ttl = "1h",
                  .snapshots = {.every = "1h", .keep = 24},
                  .scheduling = "lenient",
                  .queues = {}};
  }
  if (documents->size() > 1) {
    return Error{.reason = Reason::kInvalid, .message = file + ": holds more than one YAML document; keep the first"};
  }
  json::YamlDocument& document = documents->front();
  if (const auto problems = problems_in(document, file); !problems.empty()) {
    return Error{.reason = Reason::kInvalid, .message = join(problems, "\n")};
  }
  reflect::apply_defaults(reflect::type_of<Config>(), document.value);
  TRY_ASSIGN(Config config, reflect::decode<Config>(document.value));
  TRY(check_values(config, document, file));
  TRY(check_snapshots(config, document, file));
  return config;
}

Result<Config> load_config(const std::string& path) {
  TRY_ASSIGN(const std::string text, read_file(path));
  return parse_config(text, path);
}

}  // namespace muster
