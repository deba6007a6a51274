#include "control/job/waiting.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "control/observe.h"

namespace muster::control {

namespace {

template <std::size_t kSize>
bool is_among(const std::array<std::string_view, kSize>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// What the engine says has a fix already.
std::string with_fix(std::string message, const std::string& fix) {
  if (message.find("; ") != std::string::npos) return message;
  if (message.ends_with('.')) message.pop_back();
  return message + "; " + fix;
}

// ---- images ----

constexpr std::array<std::string_view, 6> kImageReasons = {"ErrImagePull",        "ImagePullBackOff",
                                                           "ErrImageNeverPull",   "ImageInspectError",
                                                           "RegistryUnavailable", "SignatureValidationFailed"};

/// Returns the registry's own words: the kubelet tells them only between two waits, or after "Back-off pulling image".
std::string registry_message(const api::ContainerStateWaiting& waiting) {
  std::string_view text = waiting.message;
  if (text.starts_with("Back-off pulling image")) {
    constexpr std::string_view kLast = "ErrImagePull: ";
    const auto at = text.find(kLast);
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + kLast.size());
  }
  constexpr std::string_view kRpc = " desc = ";
  if (text.starts_with("rpc error: ")) {
    const auto at = text.find(kRpc);
    if (at != std::string_view::npos) text.remove_prefix(at + kRpc.size());
  }
  return std::string(text);
}

std::string image_of(const api::Pod& pod, const std::string& container) {
  for (const auto* list : {&pod.spec.init_containers, &pod.spec.containers}) {
    const auto found = std::ranges::find(*list, container, &api::Container::name);
    if (found != list->end()) return found->image;
  }
  return "";
}

Wait wait_for_image(const api::Pod& pod, const std::string& container, const api::ContainerStateWaiting& waiting) {
  const std::string who = fmt::format("image {} of container {}", image_of(pod, container), container);
  if (waiting.reason == "InvalidImageName") {
    return {waiting.reason, with_fix(fmt::format("{} is not a valid name: {}", who, waiting.message),
                                     "correct it in the pod template")};
  }
  const std::string said = registry_message(waiting);
  return {.reason = "ImagePullFailed",
          .message = fmt::format("{} cannot be pulled{}{}; correct its name, or name a secret for its registry in "
                                 "imagePullSecrets of the pod template",
                                 who, said.empty() ? "" : ": ", said),
          .is_vague = said.empty()};
}

// ---- volumes ----

/// Returns whether the scheduler, or the engine, complains about the pod's volumes.
bool is_about_volumes(const std::string& message) {
  const std::string text = to_lower(message);
  return text.find("persistentvolumeclaim") != std::string::npos ||
         text.find("persistent volume") != std::string::npos || text.find("volume node affinity") != std::string::npos;
}

std::string fix_of_volume(const api::Pod& pod, const std::string& message) {
  std::vector<std::string> claims;
  for (const api::Volume& volume : pod.spec.volumes) {
    if (volume.persistent_volume_claim) claims.push_back(volume.persistent_volume_claim->claim_name);
  }
  if (message.find("not found") != std::string::npos) {
    return fmt::format("create the claim in namespace {}, or correct claimName in the pod template", pod.metadata.ns);
  }
  return fmt::format("look at the claim and its storage class: kubectl describe pvc {} -n {}", join(claims, " "),
                     pod.metadata.ns);
}

Wait wait_for_volume(const api::Pod& pod, const std::string& message) {
  return {"VolumeNotBound", with_fix(message, fix_of_volume(pod, message))};
}

// ---- containers ----

Wait wait_of_container(const api::Pod& pod, const api::ContainerStatus& container) {
  if (!container.state.waiting) return {};
  const api::ContainerStateWaiting& waiting = *container.state.waiting;
  if (waiting.reason == "InvalidImageName" || is_among(kImageReasons, waiting.reason)) {
    return wait_for_image(pod, container.name, waiting);
  }
  // The engine tells it so while it waits for a claim.
  if (waiting.reason == "ContainerCreating" && is_about_volumes(waiting.message))
    return wait_for_volume(pod, waiting.message);
  const std::string said = fmt::format("container {}: {}", container.name, waiting.message);
  if (waiting.reason == "CreateContainerConfigError") {
    return {waiting.reason,
            with_fix(said, fmt::format("create it in namespace {}, or correct the pod template", pod.metadata.ns))};
  }
  if (waiting.reason == "CreateContainerError" || waiting.reason == "RunContainerError") {
    return {waiting.reason, with_fix(said, "correct the pod template")};
  }
  return {};
}

// ---- nodes ----

Wait wait_for_node(const api::Pod& pod) {
  const auto* scheduled = api::find_condition(pod.status.conditions, "PodScheduled");
  if (scheduled == nullptr || scheduled->status != "False" || scheduled->reason != "Unschedulable") return {};
  if (is_about_volumes(scheduled->message)) return wait_for_volume(pod, scheduled->message);
  // So begins what Kubernetes' scheduler says. The engine's own words need nothing more.
  if (!scheduled->message.starts_with("0/")) return {scheduled->reason, scheduled->message};
  return {scheduled->reason,
          with_fix(scheduled->message, "wait for other pods to end, lower what the replicas request, or add nodes")};
}

/// A pod whose node does not answer cannot end, and its successor would run next to it.
Wait wait_for_lost_node(const api::Pod& pod) {
  const auto* disruption = disruption_of(pod);
  const bool is_evicted = disruption != nullptr && disruption->reason == "DeletionByTaintManager";
  if (!is_terminating(pod) || is_finished_pod(pod) || pod.spec.node_name.empty()) return {};
  if (!is_evicted && pod.status.reason != "NodeLost") return {};
  return {"NodeLost",
          fmt::format("node {} does not answer, so pod {} cannot end and be replaced; start the node again, "
                      "or if it is gone for good: kubectl delete node {}",
                      pod.spec.node_name, pod.metadata.name, pod.spec.node_name)};
}

}  // namespace

const api::Condition* disruption_of(const api::Pod& pod) {
  const auto* found = api::find_condition(pod.status.conditions, "DisruptionTarget");
  return found != nullptr && found->status == "True" ? found : nullptr;
}

Wait wait_of(const api::Pod& pod) {
  if (Wait lost = wait_for_lost_node(pod); !lost.reason.empty()) return lost;
  if (pod.status.phase != "Pending" || is_terminating(pod)) return {};
  for (const auto* list : {&pod.status.init_container_statuses, &pod.status.container_statuses}) {
    for (const api::ContainerStatus& container : *list) {
      if (Wait wait = wait_of_container(pod, container); !wait.reason.empty()) return wait;
    }
  }
  return wait_for_node(pod);
}

}  // namespace muster::control
