#include "control/tensorboard/tensorboard.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "api/muster/names.h"
#include "api/pages.h"
#include "api/tensorstack/tensorboard_v1beta1.h"
#include "base/strings.h"
#include "control/observe.h"
#include "control/page/page.h"
#include "control/tensorboard/log_folders.h"

namespace muster::control {

namespace {

constexpr const char* kDefaultImage = "tensorflow/tensorflow:2.14.0";
constexpr const char* kContainerName = "tensorboard";

// An image without TensorBoard ends with this message, which the status then shows.
constexpr const char* kStartScript =
    R"(python -c 'import tensorboard' 2>/dev/null || {
  echo 'there is no tensorboard in this environment; pip install tensorboard there, or choose another spec.image' |
    tee /dev/termination-log >&2
  exit 69
}
exec python -m tensorboard.main "$@")";

// ---- children ----

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
  const api::Condition* suspended = api::find_condition(board.status.conditions, "Suspended");
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

PageOwner page_owner(const api::TensorBoard& board) {
  return {.kind = "TensorBoard",
          .program = "TensorBoard",
          .uid_label = api::kTensorBoardUidLabel,
          .ending = "-tb",
          .port = kTensorBoardPort,
          .path = tensorboard_path(board.metadata.ns, board.metadata.name),
          .metadata = board.metadata,
          .status = board.status};
}

// ---- status ----

/// A list of folders for --logdir_spec separates names by colons and folders by commas.
bool can_be_listed(const std::vector<LogFolder>& folders) {
  return folders.size() == 1 || std::ranges::all_of(folders, [](const LogFolder& folder) {
           return folder.path.find_first_of(",:") == std::string::npos;
         });
}

/// Returns why no TensorBoard can show this; "" when one can.
std::string unshowable(const LogSources& sources) {
  if (!sources.unsupported.empty()) {
    return fmt::format("only folders of claims are supported, got {}; use logDir.pvc", join(sources.unsupported, ", "));
  }
  if (sources.folders.empty()) return "no log folder is given; set logDir.pvc";
  if (!can_be_listed(sources.folders)) return "several folders with ',' or ':' in their paths cannot be shown together";
  return {};
}

PageState state_of_board(const api::TensorBoard& board, const LogSources& sources, const std::string& fault,
                         bool is_idle, const api::Pod* pod) {
  if (!fault.empty()) return invalid_state(fault);
  if (std::string problem = unshowable(sources); !problem.empty()) {
    return {.phase = "Failed", .reason = "NoLogs", .message = std::move(problem)};
  }
  if (is_suspended(board)) {
    return {
        .phase = "Suspended", .reason = "Suspended", .message = "suspended; set spec.suspend to false to resume it"};
  }
  if (is_idle) {
    return {.phase = "Suspended",
            .reason = kIdleReason,
            .message = "suspended because it had no visitors; opening its page resumes it"};
  }
  return state_of_pod(page_owner(board), pod);
}

}  // namespace

std::string tensorboard_path(const std::string& ns, const std::string& name) {
  return fmt::format("/{}/{}/{}/", api::kTensorBoardPages, ns, name);
}

Plan plan_tensorboard(const Snapshot& seen, const TensorBoardOptions& options) {
  const auto board = reflect::decode<api::TensorBoard>(seen.primary);
  // Admission rejects what cannot be decoded. The garbage collector deletes the children of one being deleted.
  if (!board || board->metadata.deletion_timestamp) return {};
  const PageOwner owner = page_owner(*board);
  const LogSources sources = log_sources(board->spec);
  const auto pod = page_pod(seen);
  const auto to_idle = time_to_idle(*board, options, seen.now);
  const bool is_idle = to_idle == Duration(0);
  const std::string fault = pod == nullptr ? page_fault(owner, seen.primary) : "";
  const PageState state = state_of_board(*board, sources, fault, is_idle, pod.get());
  api::PageStatus status = page_status(owner, state, pod.get(), options.pages_url, seen.now);
  status.conditions.push_back(page_condition(owner, "Idle", state.reason == kIdleReason, state, seen.now));
  Plan plan;
  plan.status = reflect::encode(status);
  plan.reasons.push_back(state.message);
  if (fault.empty() && unshowable(sources).empty()) {
    const api::PodTemplateSpec pod_template{.metadata = {}, .spec = board_pod_spec(*board, sources.folders)};
    converge_page(owner, pod_template, is_suspended(*board) || is_idle, seen, plan);
    if (!is_idle) plan.recheck_after = to_idle;
  }
  emit_phase_change(owner, state, plan);
  return plan;
}

Controller tensorboard_controller(TensorBoardOptions options) {
  return {.api_version = "tensorstack.dev/v1beta1",
          .kind = "TensorBoard",
          .children = page_children(api::kTensorBoardUidLabel),
          .plan = [options = std::move(options)](const Snapshot& seen) { return plan_tensorboard(seen, options); }};
}

}  // namespace muster::control
