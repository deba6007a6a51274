#include "jobs/kinds/status.h"

#include <algorithm>

namespace muster::jobs {

bool is_true(const std::vector<api::Condition>& conditions, std::string_view type) {
  const auto* condition = api::find_condition(conditions, type);
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

std::string stall_reason(const JobStatus& status) {
  return status.stalled.empty() ? "Active" : "NoActivity";
}

std::string stall_message(const JobStatus& status) {
  if (!status.stalled.empty()) return status.stalled;
  return status.phase == Phase::kRunning ? "the job is active again" : "the job is not running";
}

std::string read_stall(const std::vector<api::Condition>& conditions) {
  return is_true(conditions, kStalled) ? api::find_condition(conditions, kStalled)->message : "";
}

}  // namespace muster::jobs
