#include "control/collector/collect.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "control/observe.h"
#include "reflect/reflect.h"

namespace muster::control {

namespace {

constexpr const char* kDisruption = "DisruptionTarget";

/// Returns the status that says why the pod goes: whoever waits for its end sees a failure, not only a disappearance.
json::Document lost_status(const api::Pod& pod, Time now) {
  const std::string why = fmt::format("node {} does not exist", quote(pod.spec.node_name));
  std::vector<api::Condition> conditions = pod.status.conditions;
  std::erase_if(conditions, [](const api::Condition& condition) { return condition.type == kDisruption; });
  conditions.push_back({.type = kDisruption,
                        .status = "True",
                        .reason = "DeletionByPodGC",
                        .message = why,
                        .last_update_time = std::nullopt,
                        .last_transition_time = std::chrono::floor<std::chrono::seconds>(now)});
  json::Array list;
  for (const api::Condition& condition : conditions) list.push_back(reflect::encode(condition));
  json::Object status{{"conditions", std::move(list)}};
  if (is_finished_pod(pod)) return status;
  status.append("phase", "Failed");
  // Jobs show these if there is no exit status.
  status.append("reason", "NodeLost");
  status.append("message", why);
  return status;
}

}  // namespace

Collection collect(const api::Pod& pod, std::optional<Duration> missing_for, Time now) {
  const bool is_bound = !pod.spec.node_name.empty();
  if (is_bound && !missing_for) return {};
  if (is_terminating(pod)) {
    // Without a grace period only finalizers hold the pod, and those are for their owners to remove.
    return {.status = {}, .remove = pod.metadata.deletion_grace_period_seconds.value_or(0) > 0, .look_again = {}};
  }
  if (!is_bound) return {};
  if (*missing_for < kNodeQuarantine) {
    return {.status = {}, .remove = false, .look_again = kNodeQuarantine - *missing_for};
  }
  Collection lost{.status = {}, .remove = true, .look_again = {}};
  if (!is_finished_pod(pod) || api::find_condition(pod.status.conditions, kDisruption) == nullptr) {
    lost.status = lost_status(pod, now);
  }
  return lost;
}

}  // namespace muster::control
