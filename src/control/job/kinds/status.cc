#include "control/job/kinds/status.h"

#include <algorithm>

namespace muster::control {

const api::Condition* find_condition(const std::vector<api::Condition>& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &api::Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

bool is_true(const std::vector<api::Condition>& conditions, std::string_view type) {
  const auto* condition = find_condition(conditions, type);
  return condition != nullptr && condition->status == "True";
}

api::Condition next_condition(const api::Condition* before, std::string type, bool value, std::string reason,
                              std::string message, Time now) {
  const char* status = value ? "True" : "False";
  const bool same = before != nullptr && before->status == status;
  return {.type = std::move(type),
          .status = status,
          .reason = std::move(reason),
          .message = std::move(message),
          .last_update_time = std::nullopt,
          .last_transition_time = same ? before->last_transition_time : std::optional<Time>(now)};
}

void read_pause(const api::Condition* paused, JobStatus& to) {
  if (paused == nullptr) return;
  to.resumed = paused->status == "False";
  if (paused->status == "True") to.paused_at = paused->last_transition_time;
}

}  // namespace muster::control
