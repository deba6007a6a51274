#include "arena/submit/request.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "api/host_folders.h"
#include "arena/code_sync/git_sync.h"
#include "base/quantity.h"
#include "base/strings.h"

namespace muster::arena {

namespace {

using cli::Failure;
using Checked = std::optional<Failure>;

constexpr std::size_t kLongestName = 49;
// Linux limits a single argument of a program to 128 KiB, its final zero included.
constexpr std::size_t kLongestCommand = 128 * 1024 - 1;

Failure wrong(std::string what, std::string fix = {}) {
  return {.what = std::move(what), .fix = std::move(fix)};
}

Failure invalid(const std::string& what, std::string fix = {}) {
  return wrong("failed to validate command args: " + what, std::move(fix));
}

/// Reads KEY=VALUE items into `to`; the last of several with the same key counts.
Checked read_pairs(const char* flag, const std::vector<std::string>& items, TextMap& to) {
  for (const std::string& item : items) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0) {
      return wrong(fmt::format("--{}: must be KEY=VALUE, got {}", flag, quote(item)),
                   fmt::format("--{} {}=VALUE", flag, item.empty() ? "KEY" : item));
    }
    to[item.substr(0, equals)] = item.substr(equals + 1);
  }
  return std::nullopt;
}

// ---- single checks ----

Checked check_name(const JobRequest& request) {
  const std::string& name = request.flags.name;
  if (name.size() > kLongestName) {
    return invalid(
        fmt::format("the len {} of name {} is too long, it should be less than {}", name.size(), name, kLongestName));
  }
  if (is_dns_label(name)) return std::nullopt;
  return invalid(
      "the job name must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
      "alphanumeric character",
      fmt::format("got {}; use letters a-z, digits and '-', such as my-job-1", quote(name)));
}

Checked check_command(const JobRequest& request) {
  if (request.command.size() <= kLongestCommand) return std::nullopt;
  return wrong(fmt::format("the command has {} bytes; a program's argument may have at most {}", request.command.size(),
                           kLongestCommand),
               "put it into a script, and bring that with --sync-mode or --config-file");
}

Checked check_image(const JobRequest& request) {
  const bool is_tf = request.type->name == "tfjob";
  if (!request.flags.image.empty()) return std::nullopt;
  const bool takes_worker_image = is_tf || request.type->name == "pytorchjob";
  if (takes_worker_image && !request.flags.worker_role.image.empty()) return std::nullopt;
  return invalid(is_tf ? "--image or --workerImage must be set" : "--image must be set");
}

Checked check_counts(const JobRequest& request) {
  const SubmitFlags& flags = request.flags;
  if (flags.gpus < 0 || flags.ps_gpus < 0) return invalid("--gpus is invalid");
  if (flags.workers < 1) return invalid("--workers is invalid", "at least 1");
  if (flags.ps < 0) return invalid("--ps is invalid");
  if (flags.retry < 0) return invalid("--retry is invalid");
  for (const auto& [name, value] : {std::pair("running-timeout", flags.running_timeout),
                                    {"starting-timeout", flags.starting_timeout},
                                    {"ttl-after-finished", flags.ttl_after_finished}}) {
    if (value < Duration(0)) return invalid(fmt::format("--{} is invalid", name));
  }
  return std::nullopt;
}

bool is_amount(const std::string& text) {
  const auto parsed = Quantity::parse(text);
  return text.empty() || (parsed && *parsed >= Quantity());
}

Checked check_amounts(const JobRequest& request) {
  const SubmitFlags& flags = request.flags;
  std::vector<std::pair<std::string, std::string>> amounts = {
      {"cpu", flags.cpu}, {"memory", flags.memory}, {"share-memory", flags.share_memory}};
  for (const auto& [role, of] : {std::pair<std::string, const RoleFlags&>("worker", flags.worker_role),
                                 {"ps", flags.ps_role},
                                 {"chief", flags.chief_role},
                                 {"evaluator", flags.evaluator_role}}) {
    amounts.emplace_back(role + "-cpu", of.cpu);
    amounts.emplace_back(role + "-cpu-limit", of.cpu_limit);
    amounts.emplace_back(role + "-memory", of.memory);
    amounts.emplace_back(role + "-memory-limit", of.memory_limit);
  }
  for (const auto& [name, value] : amounts) {
    if (!is_amount(value))
      return invalid(fmt::format("--{} is invalid", name), fmt::format("got {}; write 2, 500m or 4Gi", quote(value)));
  }
  return std::nullopt;
}

Checked check_choices(const JobRequest& request) {
  const SubmitFlags& flags = request.flags;
  constexpr std::string_view kPolicies[] = {"", "None", "Running", "All"};
  if (std::ranges::find(kPolicies, flags.clean_task_policy) == std::end(kPolicies)) {
    return invalid("unsupported cleanTaskPolicy " + flags.clean_task_policy, "None, Running or All");
  }
  const std::string& per_node = flags.nproc_per_node;
  const bool is_word = per_node.empty() || per_node == "auto" || per_node == "cpu" || per_node == "gpu";
  if (!is_word && parse_int(per_node).value_or(0) < 1)
    return invalid("--nproc-per-node is invalid", "auto, cpu, gpu or a number");
  if (flags.success_policy != "ChiefWorker" && flags.success_policy != "AllWorkers") {
    return invalid("unsupported successPolicy " + flags.success_policy, "ChiefWorker or AllWorkers");
  }
  if (!flags.model_name.empty() && flags.model_source.empty()) {
    return wrong("model version source must be specified when registering a model version");
  }
  if (!flags.model_name.empty()) return wrong("--model-name: registering model versions in MLflow is not supported");
  if (!flags.queue.empty() && !is_dns_label(flags.queue)) {
    return wrong(fmt::format("--queue: must be the name of a queue, got {}", quote(flags.queue)),
                 "--queue NAME, and the command at the end; kubectl get queues lists them");
  }
  if (!flags.working_dir.starts_with('/'))
    return wrong(fmt::format("--working-dir: must be an absolute path, got {}", quote(flags.working_dir)));
  return std::nullopt;
}

/// TensorBoard also reads from stores that it knows by a scheme. Anything else would be a folder below where
/// TensorBoard happens to start, so that its page stays empty.
Checked check_log_dir(const JobRequest& request) {
  const std::string& path = request.flags.log_dir;
  constexpr const char* kFix = "--logdir /training_logs, or a folder below the path of a --data";
  const bool is_plain =
      std::ranges::all_of(path, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 0x7f; });
  const std::size_t scheme = path.find("://");
  const bool is_address = scheme != std::string::npos && scheme > 0 && path.find('/') > scheme;
  if (!is_plain || (!path.starts_with('/') && !is_address)) {
    return wrong(fmt::format("--logdir: must be an absolute path, got {}", quote(path)), kFix);
  }
  if (is_address) return std::nullopt;
  const std::string problem = api::named_folder_problem(path, "");
  if (problem.empty()) return std::nullopt;
  return wrong(fmt::format("--logdir: {}, got {}", problem, quote(path)), kFix);
}

// ---- lists ----

Checked read_devices(JobRequest& request) {
  if (auto failure = read_pairs("device", request.flags.devices, request.devices)) return failure;
  for (const auto& [name, amount] : request.devices) {
    if (name == "nvidia.com/gpu") {
      return invalid(fmt::format("please use '--gpus {0}' instead of '--device nvidia.com/gpu={0}'", amount));
    }
    if (amount.empty() || !is_amount(amount)) return invalid(fmt::format("--device {}={} is invalid", name, amount));
  }
  return std::nullopt;
}

Checked read_claims(JobRequest& request) {
  std::set<std::string> seen;
  for (const std::string& item : request.flags.data) {
    const std::size_t colon = item.find(':');
    if (colon == std::string::npos || colon < 2) {
      return wrong(fmt::format("dataset {} has incorrect format, should like data_name:/data0", item));
    }
    Mounted claim{.source = item.substr(0, colon), .path = item.substr(colon + 1)};
    if (!seen.insert(claim.source).second) {
      return wrong(fmt::format("your PVC name: {} is repeated, please check it", claim.source));
    }
    if (!claim.path.starts_with('/')) return wrong(fmt::format("invalid dataDir: '{}' must be absolute", claim.path));
    if (claim.path == "/") return wrong("invalid specification: dataDir can't be '/'");
    if (!is_dns_subdomain(claim.source)) {
      return wrong(fmt::format("dataset {} has incorrect format, should like data_name:/data0", item),
                   "arena data list shows the names");
    }
    request.claims.push_back(std::move(claim));
  }
  return std::nullopt;
}

Checked read_host_dirs(JobRequest& request) {
  for (const std::string& item : request.flags.data_dirs) {
    const auto parts = split(item, ':');
    const bool absolute = std::ranges::all_of(parts, [](const std::string& part) { return part.starts_with('/'); });
    if (parts.size() > 2 || !absolute)
      return wrong(fmt::format("invalid DataDir: '{}'", item), "/data or /host:/container");
    request.host_dirs.push_back({.source = parts.front(), .path = parts.back()});
  }
  return std::nullopt;
}

/// KEY, KEY=VALUE:EFFECT, KEY=VALUE:EFFECT,OPERATOR and all.
Checked read_tolerations(JobRequest& request) {
  constexpr std::string_view kEffects[] = {"", "NoSchedule", "PreferNoSchedule", "NoExecute"};
  for (const std::string& item : request.flags.tolerations) {
    if (item == "all") {
      request.tolerations.push_back(json::Object{{"operator", "Exists"}});
      continue;
    }
    const std::size_t comma = item.find(',');
    const std::string before = item.substr(0, comma);
    const std::size_t colon = before.find(':');
    const std::size_t equals = before.find('=');
    const std::string key = before.substr(0, std::min(equals, colon));
    const std::string effect = colon == std::string::npos ? "" : before.substr(colon + 1);
    const bool has_value = equals != std::string::npos && equals < colon;
    const std::string op = comma != std::string::npos ? item.substr(comma + 1) : has_value ? "Equal" : "Exists";
    if (key.empty() || std::ranges::find(kEffects, effect) == std::end(kEffects) || (op != "Equal" && op != "Exists")) {
      return wrong(fmt::format("--toleration: must be KEY, KEY=VALUE:EFFECT, KEY=VALUE:EFFECT,OPERATOR or all, got {}",
                               quote(item)),
                   "EFFECT is NoSchedule, PreferNoSchedule or NoExecute; OPERATOR is Equal or Exists");
    }
    json::Object toleration{{"key", key}, {"operator", op}};
    if (op == "Equal" && has_value) {
      const std::size_t length = colon == std::string::npos ? colon : colon - equals - 1;
      toleration.set("value", before.substr(equals + 1, length));
    }
    if (!effect.empty()) toleration.set("effect", effect);
    request.tolerations.push_back(std::move(toleration));
  }
  return std::nullopt;
}

Checked read_config_files(JobRequest& request, const std::string& home, const ReadFile& read_file) {
  for (const std::string& item : request.flags.config_files) {
    const std::size_t colon = item.rfind(":/");
    std::string host = item.substr(0, colon);
    if (host.starts_with("~/")) host = home + host.substr(1);
    const std::string target = colon == std::string::npos ? host : item.substr(colon + 1);
    if (!target.starts_with('/') || target.ends_with('/')) {
      return wrong(
          fmt::format("--config-file: the path in the container must be an absolute file name, got {}", quote(item)),
          fmt::format("--config-file {}:/etc/app/{}", host, host.substr(host.rfind('/') + 1)));
    }
    auto content = read_file(host);
    if (!content) return wrong(fmt::format("--config-file: cannot read {}", quote(host)), content.error().message);
    request.config_files.push_back({.path = target, .content = *std::move(content)});
  }
  return std::nullopt;
}

// ---- code ----

/// Takes "user:password@" out of the URL: it would be readable in the object.
void move_credentials(CodeSync& sync, TextMap& credentials) {
  const std::size_t scheme = sync.source.find("://");
  if (scheme == std::string::npos || sync.source.starts_with("ssh:")) return;
  const std::size_t from = scheme + 3;
  const std::size_t at = sync.source.substr(0, sync.source.find('/', from)).rfind('@');
  if (at == std::string::npos || at < from) return;
  const std::string user = sync.source.substr(from, at - from);
  const std::size_t colon = user.find(':');
  credentials["GIT_SYNC_USERNAME"] = user.substr(0, colon);
  if (colon != std::string::npos) credentials["GIT_SYNC_PASSWORD"] = user.substr(colon + 1);
  sync.source.erase(from, at + 1 - from);
}

std::string project_of(std::string source) {
  while (source.ends_with('/')) source.pop_back();
  std::string name = source.substr(source.find_last_of("/:") + 1);
  if (name.ends_with(".git")) name.resize(name.size() - 4);
  return name;
}

/// Returns the path of a folder that the address names; "" when the code is elsewhere.
std::string local_folder(const std::string& source) {
  if (!is_local_repository(source)) return "";
  std::string path = source.starts_with('/') ? source : source.substr(std::string_view("file://").size());
  constexpr std::string_view kHere = "localhost/";
  if (path.starts_with(kHere)) path.erase(0, kHere.size() - 1);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

/// The code of the owner's machine: a claim shows the folder to the container that fetches.
Checked check_local_source(const CodeSync& sync, const std::string& source) {
  if (source.starts_with('.') || source.starts_with('~')) {
    return wrong(fmt::format("--sync-source: a folder of this machine must be an absolute path, got {}", quote(source)),
                 "--sync-source \"$PWD\"");
  }
  if (sync.folder.empty()) return std::nullopt;
  const std::string problem = api::named_folder_problem(sync.folder, "");
  if (problem.empty()) return std::nullopt;
  return wrong(fmt::format("--sync-source: {}, got {}", problem, quote(source)));
}

Checked check_branch(const JobRequest& request) {
  const auto branch = request.env.find("GIT_SYNC_BRANCH");
  if (branch == request.env.end()) return std::nullopt;
  const std::string problem = branch_problem(branch->second);
  if (problem.empty()) return std::nullopt;
  return wrong("--env GIT_SYNC_BRANCH: " + problem);
}

Checked read_sync(JobRequest& request) {
  const SubmitFlags& flags = request.flags;
  if (flags.sync_mode.empty() && !flags.sync_source.empty()) {
    return wrong("--sync-source: needs --sync-mode", "--sync-mode git or --sync-mode rsync");
  }
  if (flags.sync_mode.empty()) return std::nullopt;
  if (flags.sync_source.empty()) return wrong("--syncSource should be set when syncMode is set");
  if (flags.sync_mode != "git" && flags.sync_mode != "rsync")
    return wrong("Unknown sync mode: " + flags.sync_mode, "git or rsync");
  CodeSync sync{.mode = flags.sync_mode == "git" ? CodeSync::Mode::kGit : CodeSync::Mode::kRsync,
                .source = flags.sync_source,
                .folder = local_folder(flags.sync_source),
                .project = project_of(flags.sync_source)};
  // git would run a program for "ext::", and read an option from a leading dash.
  if (sync.source.starts_with('-') ||
      (sync.mode == CodeSync::Mode::kGit && sync.source.find("::") != std::string::npos)) {
    return wrong(fmt::format("--sync-source: must be the address of a repository, got {}", quote(sync.source)),
                 "https://HOST/PROJECT.git or git@HOST:PROJECT.git");
  }
  if (sync.mode == CodeSync::Mode::kGit && (sync.project.empty() || sync.project == "." || sync.project == "..")) {
    return wrong(fmt::format("--sync-source: there is no project's name in {}", quote(sync.source)));
  }
  if (auto failure = check_local_source(sync, flags.sync_source)) return failure;
  if (!sync.folder.empty()) sync.source = sync.folder;
  if (sync.mode == CodeSync::Mode::kGit) {
    if (auto failure = check_branch(request)) return failure;
  }
  for (const char* name : {"GIT_SYNC_USERNAME", "GIT_SYNC_PASSWORD"}) {
    const auto given = request.env.extract(name);
    if (!given.empty()) request.credentials[name] = given.mapped();
  }
  move_credentials(sync, request.credentials);
  request.sync = std::move(sync);
  return std::nullopt;
}

}  // namespace

std::string JobRequest::image_of(const RoleFlags& role) const {
  if (!role.image.empty()) return role.image;
  // --worker-image alone serves all roles.
  return flags.image.empty() ? flags.worker_role.image : flags.image;
}

bool JobRequest::is_standalone_tf() const {
  return type->name == "tfjob" && flags.ps < 1 && flags.workers == 1 && !flags.chief && !flags.evaluator;
}

std::int64_t JobRequest::total_gpus() const {
  const bool extra_chief = type->name == "tfjob" && flags.chief;
  return flags.gpus * (flags.workers + (extra_chief ? 1 : 0)) + flags.ps_gpus * flags.ps;
}

std::variant<JobRequest, Failure> read_request(const JobType& type, const SubmitFlags& flags,
                                               const std::vector<std::string>& words, const std::string& home,
                                               const ReadFile& read_file) {
  JobRequest request{.type = &type, .flags = flags, .command = join(words, " ")};
  for (auto* check :
       {check_name, check_command, check_image, check_counts, check_amounts, check_choices, check_log_dir}) {
    if (auto failure = check(request)) return *std::move(failure);
  }
  for (const auto& [flag, items, to] : {std::tuple("env", &flags.envs, &request.env),
                                        {"label", &flags.labels, &request.labels},
                                        {"annotation", &flags.annotations, &request.annotations},
                                        {"selector", &flags.selectors, &request.selector}}) {
    if (auto failure = read_pairs(flag, *items, *to)) return *std::move(failure);
  }
  for (auto* read : {read_devices, read_claims, read_host_dirs, read_tolerations, read_sync}) {
    if (auto failure = read(request)) return *std::move(failure);
  }
  if (auto failure = read_config_files(request, home, read_file)) return *std::move(failure);
  return request;
}

}  // namespace muster::arena
