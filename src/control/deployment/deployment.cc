#include "control/deployment/deployment.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <set>

#include "api/kubernetes/apps_v1.h"
#include "api/muster/limits.h"
#include "base/clamped_seconds.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "control/observe.h"

namespace muster::control {

namespace {

using PodPtr = std::shared_ptr<const api::Pod>;

constexpr const char* kTemplateHashLabel = "pod-template-hash";
// The limit on pods that exist and do not run yet; no more are created while it is reached. However large `replicas`
// is, a plan stays small and the machine is not filled with pods that cannot be placed.
constexpr int kMaxStarting = 100;
// A pod that ends sooner is replaced only after this time, so that a broken pod does not keep the machine busy.
constexpr Duration kShortestLife = std::chrono::seconds(10);

// ---- the observed state ----

struct View {
  const api::Deployment& deployment;
  std::string template_hash;
  int wanted = 0;
  Time now;
  std::vector<PodPtr> current;  // created from the current template
  std::vector<PodPtr> old;      // created from an earlier one
};

/// Sorts members by name, so that the hash of a template does not depend on their order in the manifest.
json::Document sorted(const json::Document& value) {
  if (value.is_array()) {
    json::Array items;
    for (const json::Document& item : value.as_array()) items.push_back(sorted(item));
    return items;
  }
  if (!value.is_object()) return value;
  std::vector<json::Member> members;
  for (const json::Member& member : value.as_object()) members.push_back({member.key, sorted(member.value)});
  std::ranges::sort(members, {}, &json::Member::key);
  return json::Object(std::move(members));
}

std::string hash_of(const json::Document* pod_template) {
  return sha256_hex(pod_template == nullptr ? "" : json::serialize(sorted(*pod_template))).substr(0, 10);
}

std::string pod_name(const View& view, int index) {
  return fmt::format("{}-{}-{}", view.deployment.metadata.name, view.template_hash, index);
}

/// Returns the number at the end of the name; absent for a pod that we did not create.
std::optional<int> index_of(const PodPtr& pod) {
  const std::string& name = pod->metadata.name;
  const auto number = parse_int(name.substr(name.rfind('-') + 1));
  if (!number || *number < 0 || *number >= INT_MAX) return std::nullopt;
  return static_cast<int>(*number);
}

bool is_active(const PodPtr& pod) {
  return !is_terminating(*pod) && !is_finished_pod(*pod);
}

const api::Condition* ready_condition(const PodPtr& pod) {
  const auto found = std::ranges::find(pod->status.conditions, "Ready", &api::Condition::type);
  return found == pod->status.conditions.end() || found->status != "True" ? nullptr : &*found;
}

/// Returns when a ready pod has been, or will have been, ready for minReadySeconds; absent for a pod that is not ready.
std::optional<Time> available_from(const View& view, const PodPtr& pod) {
  const api::Condition* ready = ready_condition(pod);
  if (ready == nullptr || !is_active(pod)) return std::nullopt;
  return ready->last_transition_time.value_or(Time::min()) + clamped_seconds(view.deployment.spec.min_ready_seconds);
}

View look(const api::Deployment& deployment, const Snapshot& seen) {
  View view{.deployment = deployment,
            .template_hash = hash_of(seen.primary.at("spec", "template")),
            .wanted = std::max(deployment.spec.replicas.value_or(1), 0),
            .now = seen.now,
            .current = {},
            .old = {}};
  auto pods = seen.children.of<api::Pod>();
  // The order does not depend on the order of observation.
  std::ranges::sort(pods, {}, [](const PodPtr& pod) { return std::pair(index_of(pod), pod->metadata.name); });
  for (PodPtr& pod : pods) {
    const auto label = pod->metadata.labels.find(kTemplateHashLabel);
    const bool is_current = label != pod->metadata.labels.end() && label->second == view.template_hash;
    (is_current ? view.current : view.old).push_back(std::move(pod));
  }
  return view;
}

// ---- pods ----

void recheck_at(Time when, Time now, Plan& plan) {
  const Duration span = std::max(when - now, Duration(0));
  plan.recheck_after = std::min(plan.recheck_after.value_or(span), span);
}

void emit(const char* reason, std::string message, Plan& plan) {
  plan.reasons.push_back(message);
  plan.actions.emplace_back(EmitEvent{.type = "Normal", .reason = reason, .message = std::move(message)});
}

std::string some_pods(std::size_t count) {
  return fmt::format("{} pod{}", count, count == 1 ? "" : "s");
}

api::Pod pod_for(const View& view, int index) {
  const api::Deployment& deployment = view.deployment;
  api::Pod pod;
  pod.metadata.name = pod_name(view, index);
  pod.metadata.ns = deployment.metadata.ns;
  pod.metadata.labels = deployment.spec.template_.metadata.labels;
  pod.metadata.labels[kTemplateHashLabel] = view.template_hash;
  pod.metadata.annotations = deployment.spec.template_.metadata.annotations;
  pod.metadata.owner_references = {{.api_version = "apps/v1",
                                    .kind = "Deployment",
                                    .name = deployment.metadata.name,
                                    .uid = deployment.metadata.uid,
                                    .controller = true,
                                    .block_owner_deletion = true}};
  pod.spec = deployment.spec.template_.spec;
  return pod;
}

/// Deletes the pods that are not being deleted yet and returns their number.
std::size_t remove(const std::vector<PodPtr>& pods, Plan& plan) {
  std::size_t removed = 0;
  for (const PodPtr& pod : pods) {
    if (is_terminating(*pod)) continue;
    plan.actions.emplace_back(Delete{child_ref(*pod)});
    ++removed;
  }
  return removed;
}

/// After a scale-down, the highest index goes first.
void remove_surplus(const std::vector<PodPtr>& pods, int wanted, Plan& plan) {
  std::vector<PodPtr> surplus;
  for (const PodPtr& pod : pods) {
    if (index_of(pod).value_or(INT_MAX) >= wanted) surplus.push_back(pod);
  }
  std::ranges::reverse(surplus);
  const std::size_t removed = remove(surplus, plan);
  if (removed > 0) emit("Scaled", fmt::format("removed {} beyond {} wanted", some_pods(removed), wanted), plan);
}

/// Deletes pods that have ended; once a pod is gone, it is created again under the same name.
void replace_ended(const View& view, Plan& plan) {
  for (const PodPtr& pod : view.current) {
    if (!is_finished_pod(*pod) || is_terminating(*pod) || index_of(pod).value_or(INT_MAX) >= view.wanted) continue;
    const Time due = pod->metadata.creation_timestamp.value_or(Time::min()) + kShortestLife;
    if (view.now < due) {
      recheck_at(due, view.now, plan);
      continue;
    }
    plan.actions.emplace_back(Delete{child_ref(*pod)});
    emit("Replaced", fmt::format("pod {} has {}; creating it again", pod->metadata.name, to_lower(pod->status.phase)),
         plan);
  }
}

void create_missing(const View& view, Plan& plan) {
  std::set<int> present;
  int starting = 0;
  for (const PodPtr& pod : view.current) {
    present.insert(index_of(pod).value_or(INT_MAX));
    if (pod->status.phase != "Running") ++starting;
  }
  std::size_t created = 0;
  for (int i = 0; i < view.wanted && starting < kMaxStarting; ++i) {
    if (present.contains(i)) continue;
    plan.actions.emplace_back(create_child(pod_for(view, i)));
    ++starting;
    ++created;
  }
  if (created > 0) emit("Scaled", fmt::format("created {} of {} wanted", some_pods(created), view.wanted), plan);
}

void converge(const View& view, Plan& plan) {
  const bool paused = view.deployment.spec.paused;
  // The template is new, or none was ever rolled out: the rollout waits for the end of the pause.
  if (paused && view.current.empty()) return remove_surplus(view.old, view.wanted, plan);
  if (!view.old.empty()) {
    if (paused) return;
    // All old pods are gone before the first new pod is created.
    if (const std::size_t removed = remove(view.old, plan); removed > 0) {
      emit("Recreating", fmt::format("the template changed: removed {}", some_pods(removed)), plan);
    }
    return;
  }
  remove_surplus(view.current, view.wanted, plan);
  replace_ended(view, plan);
  create_missing(view, plan);
}

// ---- status ----

void count(const View& view, api::DeploymentStatus& status) {
  for (const auto* pods : {&view.current, &view.old}) {
    for (const PodPtr& pod : *pods) {
      if (!is_active(pod)) continue;
      ++status.replicas;
      if (pods == &view.current) ++status.updated_replicas;
      const auto available = available_from(view, pod);
      if (available) ++status.ready_replicas;
      if (available && *available <= view.now) ++status.available_replicas;
    }
  }
  status.unavailable_replicas = std::max(view.wanted - status.available_replicas, 0);
}

bool is_complete(const View& view, const api::DeploymentStatus& status) {
  return status.updated_replicas == view.wanted && status.replicas == view.wanted &&
         status.available_replicas == view.wanted;
}

/// A time changes only together with what it belongs to: the transition with the status, the update with any member.
api::Condition dated(api::Condition condition, const api::DeploymentStatus& before, Time now) {
  const Time second = std::chrono::floor<std::chrono::seconds>(now);
  const api::Condition* last = api::find_condition(before.conditions, condition.type);
  const bool same_status = last != nullptr && last->status == condition.status;
  const bool same = same_status && last->reason == condition.reason && last->message == condition.message;
  condition.last_transition_time = same_status ? last->last_transition_time : second;
  condition.last_update_time = same ? last->last_update_time : second;
  return condition;
}

api::Condition available_condition(const View& view, const api::DeploymentStatus& status) {
  const bool enough = status.available_replicas >= view.wanted;
  return {.type = "Available",
          .status = enough ? "True" : "False",
          .reason = enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
          .message = enough ? "all wanted pods are available" : "fewer pods are available than wanted",
          .last_update_time = {},
          .last_transition_time = {}};
}

/// Progress means more pods of the current template, fewer of an earlier one, or more that are ready or available.
bool has_progressed(const api::DeploymentStatus& before, const api::DeploymentStatus& now) {
  const auto old = [](const api::DeploymentStatus& s) { return s.replicas - s.updated_replicas; };
  return now.updated_replicas > before.updated_replicas || old(now) < old(before) ||
         now.ready_replicas > before.ready_replicas || now.available_replicas > before.available_replicas;
}

/// The reasons are Kubernetes', because tools match them; NewReplicaSetAvailable means that the rollout is complete.
api::Condition progressing_condition(const View& view, const api::DeploymentStatus& status, Plan& plan) {
  const api::DeploymentStatus& before = view.deployment.status;
  api::Condition condition{.type = "Progressing",
                           .status = "True",
                           .reason = "ReplicaSetUpdated",
                           .message = "pods are being started or removed",
                           .last_update_time = {},
                           .last_transition_time = {}};
  if (view.deployment.spec.paused) {
    condition.status = "Unknown";
    condition.reason = "DeploymentPaused";
    condition.message = "the deployment is paused";
    return dated(std::move(condition), before, view.now);
  }
  if (is_complete(view, status)) {
    condition.reason = "NewReplicaSetAvailable";
    condition.message = "all wanted pods use the current template and are available";
    return dated(std::move(condition), before, view.now);
  }
  const api::Condition* last = api::find_condition(before.conditions, "Progressing");
  const bool is_new = before.observed_generation != view.deployment.metadata.generation;
  const bool was_late = last != nullptr && last->reason == "ProgressDeadlineExceeded";
  api::Condition going = dated(condition, before, view.now);
  if (is_new || has_progressed(before, status)) {
    going.last_update_time = std::chrono::floor<std::chrono::seconds>(view.now);
  } else if (was_late) {
    return *last;
  }
  const Time deadline = going.last_update_time.value_or(view.now) +
                        clamped_seconds(view.deployment.spec.progress_deadline_seconds.value_or(600));
  if (view.now < deadline) {
    recheck_at(deadline, view.now, plan);
    return going;
  }
  condition.status = "False";
  condition.reason = "ProgressDeadlineExceeded";
  condition.message = "no pod has started, ended or become ready for longer than progressDeadlineSeconds";
  return dated(std::move(condition), before, view.now);
}

api::DeploymentStatus status_of(const View& view, Plan& plan) {
  api::DeploymentStatus status;
  status.observed_generation = view.deployment.metadata.generation;
  count(view, status);
  status.conditions.push_back(dated(available_condition(view, status), view.deployment.status, view.now));
  status.conditions.push_back(progressing_condition(view, status, plan));
  return status;
}

/// Requests another look when a ready pod becomes available.
void await_availability(const View& view, Plan& plan) {
  for (const PodPtr& pod : view.current) {
    const auto available = available_from(view, pod);
    if (available && *available > view.now) recheck_at(*available, view.now, plan);
  }
}

}  // namespace

Plan plan_deployment(const Snapshot& seen) {
  const auto deployment = reflect::decode<api::Deployment>(seen.primary);
  // Admission rejects what cannot be decoded. The garbage collector deletes the pods of a deployment being deleted.
  if (!deployment || deployment->metadata.deletion_timestamp) return {};
  // This object was stored before there was a limit. It is ignored, because its pods would fill the machine.
  if (deployment->spec.replicas.value_or(1) > api::kMaxReplicas) return {};
  const View view = look(*deployment, seen);
  Plan plan;
  converge(view, plan);
  plan.status = reflect::encode(status_of(view, plan));
  await_availability(view, plan);
  return plan;
}

Controller deployment_controller() {
  return {
      .api_version = "apps/v1", .kind = "Deployment", .children = {watched_kind<api::Pod>()}, .plan = plan_deployment};
}

}  // namespace muster::control
