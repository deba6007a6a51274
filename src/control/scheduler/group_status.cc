#include "control/scheduler/group_status.h"

#include <fmt/core.h>

#include <algorithm>

#include "control/observe.h"
#include "control/scheduler/requests.h"

namespace muster::control {

namespace {

/// Returns the list without pod slots, which users do not request, and without amounts of zero.
api::ResourceList requested(const api::ResourceList& held) {
  api::ResourceList result;
  for (const auto& [resource, amount] : held) {
    if (resource != kPodSlots && !amount.is_zero()) result[resource] = amount;
  }
  return result;
}

api::Condition group_condition(const api::PodGroup& group, std::string type, bool value, std::string reason,
                               std::string message, Time now) {
  const api::Condition* before = api::find_condition(group.status.conditions, type);
  const char* status = value ? "True" : "False";
  const bool is_same = before != nullptr && before->status == status;
  return {.type = std::move(type),
          .status = status,
          .reason = std::move(reason),
          .message = std::move(message),
          .last_update_time = std::nullopt,
          .last_transition_time = is_same ? before->last_transition_time : std::optional<Time>(now)};
}

}  // namespace

api::PodGroupStatus group_status(const api::PodGroup& group, const Ledger& ledger, const std::string& reason,
                                 Time now) {
  api::PodGroupStatus status;
  std::size_t present = 0;
  std::size_t waiting = 0;
  api::ResourceList held;
  for (const Gang* gang : ledger.gangs_of(group)) {
    present += gang->present;
    waiting += gang->waiting.size();
    status.pending += gang->counts.pending;
    status.running += gang->counts.running;
    status.succeeded += gang->counts.succeeded;
    status.failed += gang->counts.failed;
    status.unknown += gang->counts.unknown;
    add_to(held, gang->held);
  }
  status.allocated = requested(held);
  const Time at = std::chrono::floor<std::chrono::seconds>(now);
  const auto needed = static_cast<std::size_t>(std::max(group.spec.min_member, 0));
  const bool is_complete = present >= needed;
  const bool is_scheduled = present >= waiting + needed;
  const std::string members = fmt::format("{} of {} pods exist", present, needed);
  status.conditions = {
      group_condition(group, "SufficientGroupMember", is_complete, is_complete ? "Complete" : "MissingMembers", members,
                      at),
      group_condition(group, "GroupScheduled", is_scheduled,
                      is_scheduled ? "Scheduled" : (is_complete ? "Unschedulable" : "MissingMembers"),
                      is_scheduled ? "all its pods are scheduled" : (reason.empty() ? members : reason), at)};
  return status;
}

api::QueueStatus queue_status(const api::Queue& queue, const Ledger& ledger, const ClusterObjects& objects) {
  const Queues queues(ledger, objects);
  api::QueueStatus status;
  status.conditions = queue.status.conditions;
  status.pending = 0;
  status.running = 0;
  api::ResourceList held;
  for (const Gang* gang : ledger.holding()) {
    const api::Queue* its = queues.queue_of(*gang);
    if (its == nullptr || its->metadata.name != queue.metadata.name) continue;
    ++*status.running;
    add_to(held, gang->held);
  }
  for (const Gang* gang : ledger.waiting()) {
    const api::Queue* its = queues.queue_of(*gang);
    if (gang->holders == 0 && its != nullptr && its->metadata.name == queue.metadata.name) ++*status.pending;
  }
  status.allocated = requested(held);
  return status;
}

}  // namespace muster::control
