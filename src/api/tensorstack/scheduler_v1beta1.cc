// Descriptors of scheduler.tensorstack.dev/v1beta1.
#include "api/tensorstack/scheduler_v1beta1.h"

#include <array>

#include "base/strings.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

namespace {

constexpr const char* kMaxDurationPattern = "^([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$";

/// Accepts what the pattern accepts: numbers with units, each unit at most once, larger ones first.
bool is_max_duration(std::string_view text) {
  constexpr std::array<std::string_view, 7> kUnits = {"y", "w", "d", "h", "m", "s", "ms"};
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  std::size_t next = 0;
  while (!text.empty()) {
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) ++digits;
    std::size_t end = digits;
    while (end < text.size() && !is_digit(text[end])) ++end;
    const std::string_view unit = text.substr(digits, end - digits);
    while (next < kUnits.size() && kUnits[next] != unit) ++next;
    if (digits == 0 || next == kUnits.size()) return false;
    ++next;
    text.remove_prefix(end);
  }
  return true;
}

/// The roles are parts of the group, so the group must be at least as large as all roles together.
bool group_holds_its_roles(const json::Document& self) {
  const json::Document* roles = self.find("roles");
  if (roles == nullptr || !roles->is_array() || self.find("minMember") == nullptr) return true;
  std::int64_t sum = 0;
  for (const json::Document& role : roles->as_array()) sum += role.int_at("minMember");
  return sum <= self.int_at("minMember");
}

}  // namespace

TypeDesc describe(Of<T9kScheduler>) {
  return object<T9kScheduler>(
      "T9kScheduler", "Queue and priority of a job in the T9k scheduler.",
      field<&T9kScheduler::queue>("queue", "Queue the job waits in."),
      field<&T9kScheduler::priority>("priority", "Priority within the queue; higher numbers go first.")
          .min(0)
          .max(100));
}

TypeDesc describe(Of<SchedulePolicy>) {
  return object<SchedulePolicy>(
      "SchedulePolicy", "Scheduler of the pods.",
      field<&SchedulePolicy::t9k_scheduler>("t9kScheduler", "Use the T9k scheduler, with queues and priorities."));
}

TypeDesc describe(Of<QueueQuota>) {
  return object<QueueQuota>(
      "QueueQuota", "Limits on the sum of what the pods of a queue use.",
      field<&QueueQuota::requests>("requests", "Maximum of each resource that pods may request."));
}

TypeDesc describe(Of<QueueSpec>) {
  return object<QueueSpec>(
      "QueueSpec", "Quota, priority and users of a queue.",
      field<&QueueSpec::quota>("quota", "Limits on all pods of the queue together; none if not set."),
      field<&QueueSpec::priority>("priority", "Priority among queues; higher numbers go first.").min(0).max(100),
      field<&QueueSpec::preemptible>("preemptible", "Whether queues of higher priority may preempt its pods.")
          .default_value(true),
      field<&QueueSpec::closed>("closed", "While true, the queue accepts no new pods.").default_value(false),
      field<&QueueSpec::max_duration>("maxDuration",
                                      "How long a pod may run, in y, w, d, h, m, s and ms, as in 1d12h; no limit if "
                                      "not set.")
          .pattern(kMaxDurationPattern, &is_max_duration),
      field<&QueueSpec::node_selector>("nodeSelector", "Nodes that the queue may use; all if not set."),
      field<&QueueSpec::namespace_selector>("namespaceSelector", "Namespaces that may use the queue; all if not set."),
      field<&QueueSpec::resource_shape_profile>("resourceShapeProfile", "Shapes of pods that the queue accepts."));
}

TypeDesc describe(Of<QueueStatus>) {
  return object<QueueStatus>(
      "QueueStatus", "Status of a queue.",
      field<&QueueStatus::allocated>("allocated", "Sum of what its running pods request."),
      field<&QueueStatus::pending>("pending", "Number of waiting pod groups."),
      field<&QueueStatus::running>("running", "Number of running pod groups."),
      field<&QueueStatus::conditions>("conditions", "Conditions of the queue.").list_map_key("type"));
}

TypeDesc describe(Of<Queue>) {
  return root<Queue>(
      "scheduler.tensorstack.dev/v1beta1", "Queue", "A queue in which jobs wait for resources.",
      field<&Queue::metadata>("metadata", "Name, labels and history."),
      field<&Queue::spec>("spec", "Quota, priority and users of the queue.").default_value(json::Object{}),
      field<&Queue::status>("status", "Status of the queue; written by the scheduler."));
}

TypeDesc describe(Of<PodGroupRole>) {
  return object<PodGroupRole>(
      "PodGroupRole", "One role of a group.", field<&PodGroupRole::name>("name", "Name of the role.").required(),
      field<&PodGroupRole::min_member>("minMember", "Minimum number of pods of the role that must start together.")
          .required()
          .min(0));
}

TypeDesc describe(Of<PodGroupSpec>) {
  return object<PodGroupSpec>(
             "PodGroupSpec", "Which pods start together.",
             field<&PodGroupSpec::queue>("queue", "Queue the group waits in.").default_value("default"),
             field<&PodGroupSpec::priority>("priority", "Priority within the queue; higher numbers go first.")
                 .min(0)
                 .max(100),
             field<&PodGroupSpec::min_member>("minMember", "Minimum number of pods that must start together.")
                 .required()
                 .min(0),
             field<&PodGroupSpec::roles>("roles", "Minimum number of pods per role.").list_map_key("name"))
      .rules({{.cel = "!has(self.roles) || self.roles.map(r, r.minMember).sum() <= self.minMember",
               .message = "must be at least the sum of roles[*].minMember",
               .field = "minMember",
               .holds = &group_holds_its_roles}});
}

TypeDesc describe(Of<PodGroupStatus>) {
  return object<PodGroupStatus>(
      "PodGroupStatus", "Status of a group.",
      field<&PodGroupStatus::conditions>("conditions", "Whether the group is complete and scheduled, and why.")
          .list_map_key("type"),
      field<&PodGroupStatus::pending>("pending", "Pods that wait.").always_written(),
      field<&PodGroupStatus::running>("running", "Pods that run.").always_written(),
      field<&PodGroupStatus::succeeded>("succeeded", "Number of pods that succeeded.").always_written(),
      field<&PodGroupStatus::failed>("failed", "Pods that failed.").always_written(),
      field<&PodGroupStatus::unknown>("unknown", "Number of pods whose state is unknown.").always_written(),
      field<&PodGroupStatus::allocated>("allocated", "Sum of what the group's pods request."));
}

TypeDesc describe(Of<PodGroup>) {
  return root<PodGroup>("scheduler.tensorstack.dev/v1beta1", "PodGroup", "Pods that start together or wait together.",
                        field<&PodGroup::metadata>("metadata", "Name, labels, owners and history."),
                        field<&PodGroup::spec>("spec", "Which pods start together.").required(),
                        field<&PodGroup::status>("status", "Status of the group; written by the scheduler."));
}

}  // namespace muster::reflect
