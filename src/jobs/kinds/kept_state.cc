#include "jobs/kinds/kept_state.h"

#include <algorithm>
#include <array>

#include "jobs/kinds/status.h"

namespace muster::jobs {

namespace {

/// Moves the fields that decide reads on a cluster, and clears all of ours.
api::KubeflowJobStatus take_state(api::KubeflowJobStatus& status) {
  api::KubeflowJobStatus state;
  const int restarts = std::exchange(status.restart_count, std::nullopt).value_or(0);
  if (restarts != 0) state.restart_count = restarts;
  state.attempts = std::exchange(status.attempts, {});
  state.incident_replicas = std::exchange(status.incident_replicas, {});
  state.succeeded_replicas = std::exchange(status.succeeded_replicas, {});
  state.next_retry_time = std::exchange(status.next_retry_time, std::nullopt);
  status.master_port.reset();
  status.port_count.reset();
  status.observed_generation.reset();
  return state;
}

bool has_state(const api::KubeflowJobStatus& status) {
  return status.restart_count || !status.attempts.empty() || !status.incident_replicas.empty() ||
         !status.succeeded_replicas.empty() || status.next_retry_time;
}

std::optional<api::Condition> take_condition(std::vector<api::Condition>& conditions) {
  const auto found = std::ranges::find(conditions, kKeptState, &api::Condition::type);
  if (found == conditions.end()) return std::nullopt;
  api::Condition taken = std::move(*found);
  conditions.erase(found);
  return taken;
}

}  // namespace

void keep_state(api::KubeflowJobStatus& status, Time now) {
  const std::optional<api::Condition> before = take_condition(status.conditions);
  const api::KubeflowJobStatus state = take_state(status);
  if (!has_state(state)) return;
  api::Condition next = next_condition(before ? &*before : nullptr, kKeptState, true, "Kept",
                                       json::serialize(reflect::encode(state)), now);
  next.last_update_time = before && before->message == next.message ? before->last_update_time : now;
  // The last condition is the job's state, and Created may be the only other one.
  status.conditions.insert(status.conditions.begin(), std::move(next));
}

void restore_state(api::KubeflowJobStatus& status) {
  const std::optional<api::Condition> kept = take_condition(status.conditions);
  if (!kept || has_state(status)) return;
  const auto message = json::parse(kept->message);
  if (!message) return;
  const auto state = reflect::decode<api::KubeflowJobStatus>(*message);
  if (!state) return;
  status.restart_count = state->restart_count;
  status.attempts = state->attempts;
  status.incident_replicas = state->incident_replicas;
  status.succeeded_replicas = state->succeeded_replicas;
  status.next_retry_time = state->next_retry_time;
}

std::span<const std::string_view> fields_in_kept_state() {
  static constexpr std::array<std::string_view, 8> kFields = {
      "restartCount",  "attempts",   "incidentReplicas", "succeededReplicas",
      "nextRetryTime", "masterPort", "portCount",        "observedGeneration"};
  return kFields;
}

bool is_for_people(const json::Document& condition) {
  return condition.string_at("type") != kKeptState;
}

}  // namespace muster::jobs
