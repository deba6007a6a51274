#include "control/tensorboard/tensorboard.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "api/kubernetes/apps_v1.h"
#include "api/names.h"
#include "api/tensorstack/tensorboard_v1beta1.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "control/observe.h"
#include "control/tensorboard/log_folders.h"

namespace muster::control {

namespace {

constexpr const char* kDefaultImage = "tensorflow/tensorflow:2.14.0";
constexpr const char* kContainerName = "tensorboard";
// On the Deployment: what its spec was made from, so that a change of the TensorBoard is seen.
constexpr const char* kMadeFromAnnotation = "muster.dev/made-from";
constexpr std::size_t kLongestServiceName = 63;

// An image without TensorBoard ends with this message, which the status then shows.
constexpr const char* kStartScript =
    R"(python -c 'import tensorboard' 2>/dev/null || {
  echo 'there is no tensorboard in this environment; pip install tensorboard there, or choose another spec.image' |
    tee /dev/termination-log >&2
  exit 69
}
exec python -m tensorboard.main "$@")";

// ---- children ----

/// Returns the name of Deployment and Service. It differs from the name of the TensorBoard, which for a job's
/// TensorBoard is also the name of the job's own service. A name that no service may have is shortened to its hash.
std::string board_child_name(const std::string& name) {
  constexpr std::string_view kEnding = "-tb";
  if (name.size() + kEnding.size() <= kLongestServiceName && name.find('.') == std::string::npos &&
      (name.front() < '0' || name.front() > '9')) {
    return name + std::string(kEnding);
  }
  return fmt::format("tb-{}{}", sha256_hex(name).substr(0, 20), kEnding);
}

std::string mount_path_of(const std::string& claim) {
  return "/pvc-" + claim;
}

std::string path_in_pod(const LogFolder& folder) {
  return folder.path.empty() ? mount_path_of(folder.claim) : mount_path_of(folder.claim) + "/" + folder.path;
}

/// Several folders get a name each, as one run each would have it: the folder's path after its claim.
std::vector<std::string> folder_arguments(const std::vector<LogFolder>& folders) {
  if (folders.size() == 1) return {"--logdir", path_in_pod(folders.front())};
  std::vector<std::string> named;
  for (const LogFolder& folder : folders) {
    named.push_back(
        fmt::format("{}:{}", path_in_pod(folder).substr(std::string_view("/pvc-").size()), path_in_pod(folder)));
  }
  return {"--logdir_spec", join(named, ",")};
}

/// The fast data server is off: it would listen on a port that everybody on the machine can read.
std::vector<std::string> tensorboard_command(const api::TensorBoard& board, const std::vector<LogFolder>& folders) {
  std::string prefix = tensorboard_path(board.metadata.ns, board.metadata.name);
  prefix.pop_back();
  std::vector<std::string> command = {"sh", "-c", kStartScript, "tensorboard"};
  const auto where = folder_arguments(folders);
  command.insert(command.end(), where.begin(), where.end());
  const std::vector<std::string> rest = {"--host",
                                         "$(POD_IP)",
                                         "--port",
                                         std::to_string(kTensorBoardPort),
                                         "--path_prefix",
                                         prefix,
                                         "--window_title",
                                         board.metadata.name,
                                         "--reload_interval",
                                         "5",
                                         "--reload_multifile",
                                         "true",
                                         "--samples_per_plugin",
                                         "scalars=5000",
                                         "--load_fast",
                                         "false"};
  command.insert(command.end(), rest.begin(), rest.end());
  return command;
}

api::EnvVar pod_address_variable() {
  return {.name = "POD_IP",
          .value = {},
          .rest = json::Object{{"valueFrom", json::Object{{"fieldRef", json::Object{{"fieldPath", "status.podIP"}}}}}}};
}

api::ResourceRequirements board_resources(const api::TensorBoardSpec& spec) {
  if (spec.resources) return *spec.resources;
  api::ResourceRequirements usual;
  usual.limits = {{"cpu", Quantity::of(1)}, {"memory", *Quantity::parse("1Gi")}};
  return usual;
}

api::PodSpec board_pod_spec(const api::TensorBoard& board, const std::vector<LogFolder>& folders) {
  api::Container container;
  container.name = kContainerName;
  container.image = board.spec.image.empty() ? kDefaultImage : board.spec.image;
  container.command = tensorboard_command(board, folders);
  container.env = {pod_address_variable()};
  container.ports = {{.name = "http", .container_port = kTensorBoardPort, .rest = {}}};
  container.resources = board_resources(board.spec);
  api::PodSpec spec;
  std::map<std::string, std::string> volume_of_claim;
  for (const LogFolder& folder : folders) {
    const auto [entry, is_new] =
        volume_of_claim.try_emplace(folder.claim, fmt::format("claim-{}", volume_of_claim.size()));
    if (!is_new) continue;
    api::Volume volume;
    volume.name = entry->second;
    volume.persistent_volume_claim = {.claim_name = folder.claim, .read_only = true};
    spec.volumes.push_back(std::move(volume));
    container.volume_mounts.push_back({.name = entry->second,
                                       .mount_path = mount_path_of(folder.claim),
                                       .sub_path = {},
                                       .read_only = true,
                                       .rest = {}});
  }
  spec.containers = {std::move(container)};
  spec.restart_policy = "Always";
  spec.rest = json::Object{{"automountServiceAccountToken", false}};
  return spec;
}

api::ObjectMeta board_child_metadata(const api::TensorBoard& board) {
  api::ObjectMeta metadata;
  metadata.name = board_child_name(board.metadata.name);
  metadata.ns = board.metadata.ns;
  metadata.labels = {{api::kTensorBoardUidLabel, board.metadata.uid}};
  metadata.owner_references = {{.api_version = "tensorstack.dev/v1beta1",
                                .kind = "TensorBoard",
                                .name = board.metadata.name,
                                .uid = board.metadata.uid,
                                .controller = true,
                                .block_owner_deletion = true}};
  return metadata;
}

bool is_suspended(const api::TensorBoard& board) {
  return board.spec.suspend.value_or(false);
}

// ---- idleness ----

constexpr const char* kIdleReason = "Idle";

/// Returns since when nobody has used the TensorBoard: the last visit, or when it was made or resumed.
Time unused_since(const api::TensorBoard& board, Time now) {
  Time since = board.metadata.creation_timestamp.value_or(now);
  const auto visit = board.metadata.annotations.find(api::kLastVisitAnnotation);
  if (visit != board.metadata.annotations.end()) since = std::max(since, parse_rfc3339(visit->second).value_or(since));
  const api::Condition* suspended = find_condition(board.status.conditions, "Suspended");
  if (suspended == nullptr) return since;
  if (suspended->status == "False") return std::max(since, suspended->last_transition_time.value_or(since));
  return suspended->reason == kIdleReason ? since : now;  // its user has just resumed it
}

/// Returns how long it still runs if nobody comes: 0 when that time is over, nullopt for a TensorBoard that stays as it
/// is.
std::optional<Duration> time_to_idle(const api::TensorBoard& board, const TensorBoardOptions& options, Time now) {
  if (options.idle_after == Duration(0) || is_suspended(board)) return std::nullopt;
  return std::max(unused_since(board, now) + options.idle_after - now, Duration(0));
}

api::Deployment board_deployment(const api::TensorBoard& board, const std::vector<LogFolder>& folders, bool runs) {
  api::Deployment deployment;
  deployment.metadata = board_child_metadata(board);
  deployment.spec.replicas = runs ? 1 : 0;
  deployment.spec.selector =
      api::LabelSelector{.match_labels = {{api::kTensorBoardUidLabel, board.metadata.uid}}, .rest = {}};
  deployment.spec.strategy = api::DeploymentStrategy{.type = "Recreate", .rolling_update = {}};
  deployment.spec.template_.metadata.labels = deployment.metadata.labels;
  deployment.spec.template_.spec = board_pod_spec(board, folders);
  const std::string made_from = json::serialize(reflect::encode(deployment.spec.template_));
  deployment.metadata.annotations[kMadeFromAnnotation] = sha256_hex(made_from).substr(0, 16);
  return deployment;
}

api::Service board_service(const api::TensorBoard& board) {
  api::Service service;
  service.metadata = board_child_metadata(board);
  service.spec.type = "ClusterIP";
  service.spec.selector = {{api::kTensorBoardUidLabel, board.metadata.uid}};
  service.spec.ports = {
      {.name = "http", .port = 80, .protocol = "TCP", .rest = json::Object{{"targetPort", kTensorBoardPort}}}};
  return service;
}

/// Returns nullopt when the Deployment is as wanted. What somebody else changed in its template stays.
std::optional<Update> deployment_update(const api::Deployment& wanted, const api::Deployment& found) {
  const auto made_from = found.metadata.annotations.find(kMadeFromAnnotation);
  const std::string& wanted_from = wanted.metadata.annotations.at(kMadeFromAnnotation);
  const bool same_template = made_from != found.metadata.annotations.end() && made_from->second == wanted_from;
  if (same_template && found.spec.replicas == wanted.spec.replicas) return std::nullopt;
  json::Document patch = json::Object{};
  patch["spec"]["replicas"] = *wanted.spec.replicas;
  if (!same_template) {
    patch["metadata"]["annotations"][kMadeFromAnnotation] = wanted_from;
    patch["spec"]["template"] = reflect::encode(wanted.spec.template_);
  }
  return Update{
      .child = child_ref(found), .resource_version = found.metadata.resource_version, .patch = std::move(patch)};
}

void converge_board(const api::TensorBoard& board, const std::vector<LogFolder>& folders, const Snapshot& seen,
                    bool runs, Plan& plan) {
  const auto deployments = seen.children.of<api::Deployment>();
  const api::Deployment wanted = board_deployment(board, folders, runs);
  if (deployments.empty()) {
    plan.actions.emplace_back(create_child(wanted));
  } else if (auto update = deployment_update(wanted, *deployments.front())) {
    plan.actions.emplace_back(*std::move(update));
  }
  if (seen.children.of<api::Service>().empty()) plan.actions.emplace_back(create_child(board_service(board)));
}

// ---- status ----

struct BoardState {
  std::string phase;
  std::string reason;
  std::string message;
};

std::shared_ptr<const api::Pod> board_pod(const Snapshot& seen) {
  std::shared_ptr<const api::Pod> newest;
  for (const auto& pod : seen.children.of<api::Pod>()) {
    if (is_terminating(*pod)) continue;
    if (newest == nullptr || std::pair(newest->metadata.creation_timestamp, newest->metadata.name) <
                                 std::pair(pod->metadata.creation_timestamp, pod->metadata.name)) {
      newest = pod;
    }
  }
  return newest;
}

/// Returns how the container ended last, unless it runs.
const api::ContainerStateTerminated* last_board_end(const api::Pod& pod) {
  for (const api::ContainerStatus& status : pod.status.container_statuses) {
    if (status.state.running) return nullptr;
    if (status.state.terminated) return &*status.state.terminated;
    if (status.last_state.terminated) return &*status.last_state.terminated;
  }
  return nullptr;
}

/// Returns why a pod that has not started waits; "" when nothing is known.
std::string waiting_message(const api::Pod& pod) {
  const api::Condition* scheduled = find_condition(pod.status.conditions, "PodScheduled");
  if (scheduled != nullptr && scheduled->status == "False") return scheduled->message;
  for (const api::ContainerStatus& status : pod.status.container_statuses) {
    if (status.state.waiting && !status.state.waiting->message.empty()) return status.state.waiting->message;
  }
  return {};
}

BoardState state_of_pod(const api::Pod& pod) {
  if (const auto* end = last_board_end(pod)) {
    const std::string why = end->message.empty() ? fmt::format("TensorBoard ended with exit code {}", end->exit_code)
                                                 : std::string(trim(end->message));
    return {.phase = "Failed", .reason = "TensorBoardEnded", .message = why};
  }
  const api::Condition* ready = find_condition(pod.status.conditions, "Ready");
  if (ready != nullptr && ready->status == "True") {
    return {.phase = "Running", .reason = "PodReady", .message = "TensorBoard is running"};
  }
  const std::string waits = waiting_message(pod);
  return {.phase = "Initializing", .reason = "PodStarting", .message = waits.empty() ? "the pod is starting" : waits};
}

/// A list of folders for --logdir_spec separates names by colons and folders by commas.
bool can_be_listed(const std::vector<LogFolder>& folders) {
  return folders.size() == 1 || std::ranges::all_of(folders, [](const LogFolder& folder) {
           return folder.path.find_first_of(",:") == std::string::npos;
         });
}

/// Returns why no TensorBoard can show this; "" when one can.
std::string unshowable(const LogSources& sources) {
  if (!sources.unsupported.empty()) {
    return fmt::format("only folders of claims can be shown, got {}; write logDir.pvc",
                       join(sources.unsupported, ", "));
  }
  if (sources.folders.empty()) return "no folder with logs is named; write logDir.pvc";
  if (!can_be_listed(sources.folders)) return "several folders with ',' or ':' in their paths cannot be shown together";
  return {};
}

BoardState state_of_board(const api::TensorBoard& board, const LogSources& sources, bool is_idle,
                          const std::shared_ptr<const api::Pod>& pod) {
  if (std::string problem = unshowable(sources); !problem.empty()) {
    return {.phase = "Failed", .reason = "NoLogs", .message = std::move(problem)};
  }
  if (is_suspended(board)) {
    return {.phase = "Suspended", .reason = "Suspended", .message = "it has no pod until spec.suspend is false"};
  }
  if (is_idle) {
    return {
        .phase = "Suspended",
        .reason = kIdleReason,
        .message = "nobody has looked at it for a while, so it has no pod; it starts again when its page is opened"};
  }
  if (pod == nullptr) return {.phase = "Initializing", .reason = "PodStarting", .message = "the pod is being made"};
  return state_of_pod(*pod);
}

api::Condition board_condition(const api::TensorBoardStatus& before, const char* type, bool value,
                               const BoardState& state, Time now) {
  const api::Condition* last = find_condition(before.conditions, type);
  const std::string status = value ? "True" : "False";
  const bool same = last != nullptr && last->status == status;
  return {.type = type,
          .status = status,
          .reason = state.reason,
          .message = state.message,
          .last_update_time = {},
          .last_transition_time = same ? last->last_transition_time : std::chrono::floor<std::chrono::seconds>(now)};
}

api::TensorBoardStatus board_status(const api::TensorBoard& board, const BoardState& state,
                                    const std::shared_ptr<const api::Pod>& pod, const std::string& pages_url,
                                    Time now) {
  api::TensorBoardStatus status;
  status.phase = state.phase;
  if (pod != nullptr) {
    status.pod =
        api::PodReference{.reference = api::PodReferenceName{.name = pod->metadata.name, .uid = pod->metadata.uid},
                          .phase = pod->status.phase};
  }
  status.conditions = {board_condition(board.status, "Ready", state.phase == "Running", state, now),
                       board_condition(board.status, "Suspended", state.phase == "Suspended", state, now),
                       board_condition(board.status, "Idle", state.reason == kIdleReason, state, now)};
  if (!pages_url.empty()) status.url = pages_url + tensorboard_path(board.metadata.ns, board.metadata.name);
  status.observed_generation = board.metadata.generation;
  return status;
}

void emit_phase_change(const api::TensorBoard& board, const BoardState& state, Plan& plan) {
  if (board.status.phase == state.phase) return;
  const std::string& before = board.status.phase.empty() ? "nothing" : board.status.phase;
  plan.actions.emplace_back(EmitEvent{.type = state.phase == "Failed" ? "Warning" : "Normal",
                                      .reason = "PhaseTransformed",
                                      .message = fmt::format("from {} to {}: {}", before, state.phase, state.message)});
}

}  // namespace

std::string tensorboard_path(const std::string& ns, const std::string& name) {
  return fmt::format("/tb/{}/{}/", ns, name);
}

Plan plan_tensorboard(const Snapshot& seen, const TensorBoardOptions& options) {
  const auto board = reflect::decode<api::TensorBoard>(seen.primary);
  // Admission rejects what cannot be decoded. The garbage collector deletes the children of one being deleted.
  if (!board || board->metadata.deletion_timestamp) return {};
  const LogSources sources = log_sources(board->spec);
  const auto pod = board_pod(seen);
  const auto to_idle = time_to_idle(*board, options, seen.now);
  const bool is_idle = to_idle == Duration(0);
  const BoardState state = state_of_board(*board, sources, is_idle, pod);
  Plan plan;
  plan.status = reflect::encode(board_status(*board, state, pod, options.pages_url, seen.now));
  plan.reasons.push_back(state.message);
  if (unshowable(sources).empty()) {
    converge_board(*board, sources.folders, seen, !is_suspended(*board) && !is_idle, plan);
    if (!is_idle) plan.recheck_after = to_idle;
  }
  emit_phase_change(*board, state, plan);
  return plan;
}

Controller tensorboard_controller(TensorBoardOptions options) {
  WatchedKind pods = watched_kind<api::Pod>(api::kTensorBoardUidLabel);
  pods.uid_label = api::kTensorBoardUidLabel;
  return {.api_version = "tensorstack.dev/v1beta1",
          .kind = "TensorBoard",
          .children = {watched_kind<api::Deployment>(api::kTensorBoardUidLabel),
                       watched_kind<api::Service>(api::kTensorBoardUidLabel), std::move(pods)},
          .plan = [options = std::move(options)](const Snapshot& seen) { return plan_tensorboard(seen, options); }};
}

}  // namespace muster::control
