#include "control/page/page.h"

#include <fmt/core.h>

#include "api/kubernetes/apps_v1.h"
#include "api/resource.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "control/observe.h"
#include "json/patch.h"

namespace muster::control {

namespace {

constexpr const char* kApiVersion = "tensorstack.dev/v1beta1";
// On the Deployment: what its spec was made from, so that a change of its owner is seen.
constexpr const char* kMadeFromAnnotation = "muster.dev/made-from";
constexpr std::size_t kLongestServiceName = 63;

// ---- children ----

api::Deployment page_deployment(const PageOwner& owner, const api::PodTemplateSpec& pod_template, bool suspended) {
  api::Deployment deployment;
  deployment.metadata = page_child_metadata(owner);
  deployment.spec.replicas = suspended ? 0 : 1;
  deployment.spec.selector = api::LabelSelector{.match_labels = deployment.metadata.labels, .rest = {}};
  deployment.spec.strategy = api::DeploymentStrategy{.type = "Recreate", .rolling_update = {}};
  deployment.spec.template_ = pod_template;
  for (const auto& [label, value] : deployment.metadata.labels) {
    deployment.spec.template_.metadata.labels[label] = value;
  }
  const std::string made_from = json::serialize(reflect::encode(deployment.spec.template_));
  deployment.metadata.annotations[kMadeFromAnnotation] = sha256_hex(made_from).substr(0, 16);
  return deployment;
}

api::Service page_service(const PageOwner& owner) {
  api::Service service;
  service.metadata = page_child_metadata(owner);
  service.spec.type = "ClusterIP";
  service.spec.selector = service.metadata.labels;
  service.spec.ports = {
      {.name = "http", .port = 80, .protocol = "TCP", .rest = json::Object{{"targetPort", owner.port}}}};
  return service;
}

/// Returns nullopt when the Deployment is as wanted.
std::optional<Update> deployment_update(const api::Deployment& wanted, const api::Deployment& found) {
  const auto made_from = found.metadata.annotations.find(kMadeFromAnnotation);
  const std::string& wanted_from = wanted.metadata.annotations.at(kMadeFromAnnotation);
  const bool same_template = made_from != found.metadata.annotations.end() && made_from->second == wanted_from;
  if (same_template && found.spec.replicas == wanted.spec.replicas) return std::nullopt;
  json::Document patch = json::Object{};
  patch["spec"]["replicas"] = *wanted.spec.replicas;
  if (!same_template) {
    patch["metadata"]["annotations"][kMadeFromAnnotation] = wanted_from;
    patch["spec"]["template"] =
        json::merge_patch_between(reflect::encode(found.spec.template_), reflect::encode(wanted.spec.template_))
            .value_or(json::Object{});
  }
  return Update{
      .child = child_ref(found), .resource_version = found.metadata.resource_version, .patch = std::move(patch)};
}

// ---- status ----

/// Returns how the container ended last, unless it runs.
const api::ContainerStateTerminated* last_end(const api::Pod& pod) {
  for (const api::ContainerStatus& status : pod.status.container_statuses) {
    if (status.state.running) return nullptr;
    if (status.state.terminated) return &*status.state.terminated;
    if (status.last_state.terminated) return &*status.last_state.terminated;
  }
  return nullptr;
}

/// Returns why a pod that has not started waits; "" when nothing is known.
std::string waiting_message(const api::Pod& pod) {
  const api::Condition* scheduled = api::find_condition(pod.status.conditions, "PodScheduled");
  if (scheduled != nullptr && scheduled->status == "False") return scheduled->message;
  for (const api::ContainerStatus& status : pod.status.container_statuses) {
    if (status.state.waiting && !status.state.waiting->message.empty()) return status.state.waiting->message;
  }
  return {};
}

}  // namespace

std::string page_child_name(const std::string& name, std::string_view ending) {
  if (name.size() + ending.size() <= kLongestServiceName && name.find('.') == std::string::npos &&
      (name.front() < '0' || name.front() > '9')) {
    return name + std::string(ending);
  }
  return fmt::format("{}-{}{}", ending.substr(1), sha256_hex(name).substr(0, 20), ending);
}

api::ObjectMeta page_child_metadata(const PageOwner& owner) {
  api::ObjectMeta metadata;
  metadata.name = page_child_name(owner.metadata.name, owner.ending);
  metadata.ns = owner.metadata.ns;
  metadata.labels = {{owner.uid_label, owner.metadata.uid}};
  metadata.owner_references = {{.api_version = kApiVersion,
                                .kind = owner.kind,
                                .name = owner.metadata.name,
                                .uid = owner.metadata.uid,
                                .controller = true,
                                .block_owner_deletion = true}};
  return metadata;
}

api::EnvVar pod_address_variable() {
  return {.name = "POD_IP",
          .value = {},
          .rest = json::Object{{"valueFrom", json::Object{{"fieldRef", json::Object{{"fieldPath", "status.podIP"}}}}}}};
}

void converge_page(const PageOwner& owner, const api::PodTemplateSpec& pod_template, bool suspended,
                   const Snapshot& seen, Plan& plan) {
  const auto deployments = seen.children.of<api::Deployment>();
  const api::Deployment wanted = page_deployment(owner, pod_template, suspended);
  if (deployments.empty()) {
    plan.actions.emplace_back(create_child(wanted));
  } else if (auto update = deployment_update(wanted, *deployments.front())) {
    plan.actions.emplace_back(*std::move(update));
  }
  if (seen.children.of<api::Service>().empty()) plan.actions.emplace_back(create_child(page_service(owner)));
}

std::string page_fault(const PageOwner& owner, const json::Document& primary) {
  const api::Resource* resource = api::find_kind(kApiVersion, owner.kind);
  std::vector<std::string> faults;
  for (const FieldCause& cause : resource->check(primary)) {
    faults.push_back(fmt::format("{}: {}", cause.field, cause.message));
  }
  return join(faults, "; ");
}

PageState invalid_state(const std::string& fault) {
  return {.phase = "Failed", .reason = "Invalid", .message = fmt::format("cannot create the pod: {}", fault)};
}

std::shared_ptr<const api::Pod> page_pod(const Snapshot& seen) {
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

PageState state_of_pod(const PageOwner& owner, const api::Pod* pod) {
  if (pod == nullptr) return {.phase = "Initializing", .reason = "PodStarting", .message = "the pod is being created"};
  if (const auto* end = last_end(*pod)) {
    const std::string why = end->message.empty()
                                ? fmt::format("{} ended with exit code {}", owner.program, end->exit_code)
                                : std::string(trim(end->message));
    return {.phase = "Failed", .reason = fmt::format("{}Ended", owner.program), .message = why};
  }
  // Refused by the node before a container started, such as for an image without an environment.
  if (pod->status.phase == "Failed") {
    const std::string why = pod->status.message.empty() ? pod->status.reason : pod->status.message;
    return {.phase = "Failed", .reason = "PodFailed", .message = why.empty() ? "the pod has failed" : why};
  }
  const api::Condition* ready = api::find_condition(pod->status.conditions, "Ready");
  if (ready != nullptr && ready->status == "True") {
    return {.phase = "Running", .reason = "PodReady", .message = fmt::format("{} is running", owner.program)};
  }
  const std::string waits = waiting_message(*pod);
  return {.phase = "Initializing", .reason = "PodStarting", .message = waits.empty() ? "the pod is starting" : waits};
}

api::Condition page_condition(const PageOwner& owner, const char* type, bool value, const PageState& state, Time now) {
  const api::Condition* last = api::find_condition(owner.status.conditions, type);
  const std::string status = value ? "True" : "False";
  const bool same = last != nullptr && last->status == status;
  return {.type = type,
          .status = status,
          .reason = state.reason,
          .message = state.message,
          .last_update_time = {},
          .last_transition_time = same ? last->last_transition_time : std::chrono::floor<std::chrono::seconds>(now)};
}

api::PageStatus page_status(const PageOwner& owner, const PageState& state, const api::Pod* pod,
                            const std::string& pages_url, Time now) {
  api::PageStatus status;
  status.phase = state.phase;
  if (pod != nullptr) {
    status.pod =
        api::PodReference{.reference = api::PodReferenceName{.name = pod->metadata.name, .uid = pod->metadata.uid},
                          .phase = pod->status.phase};
  }
  status.conditions = {page_condition(owner, "Ready", state.phase == "Running", state, now),
                       page_condition(owner, "Suspended", state.phase == "Suspended", state, now)};
  if (!pages_url.empty()) status.url = pages_url + owner.path;
  status.observed_generation = owner.metadata.generation;
  return status;
}

void emit_phase_change(const PageOwner& owner, const PageState& state, Plan& plan) {
  if (owner.status.phase == state.phase) return;
  const std::string& before = owner.status.phase.empty() ? "nothing" : owner.status.phase;
  plan.actions.emplace_back(EmitEvent{.type = state.phase == "Failed" ? "Warning" : "Normal",
                                      .reason = "PhaseTransformed",
                                      .message = fmt::format("from {} to {}: {}", before, state.phase, state.message)});
}

std::vector<WatchedKind> page_children(const char* uid_label) {
  WatchedKind pods = watched_kind<api::Pod>(uid_label);
  pods.uid_label = uid_label;
  return {watched_kind<api::Deployment>(uid_label), watched_kind<api::Service>(uid_label), std::move(pods)};
}

}  // namespace muster::control
