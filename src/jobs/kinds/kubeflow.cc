#include "jobs/kinds/kubeflow.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/kubeflow/kubeflow_roles.h"
#include "api/muster/names.h"
#include "base/strings.h"
#include "jobs/kinds/kept_state.h"
#include "jobs/kinds/status.h"

namespace muster::jobs {

namespace {

/// Returns whether a job with this managedBy is ours. A cluster may have Kubeflow's operator as well; on one machine
/// there is no other, so jobs that were written for it run.
bool is_our_manager(std::string_view manager, Where where) {
  if (manager.empty() || manager == api::kManagerName) return true;
  return where != Where::kCluster && manager == "kubeflow.org/training-operator";
}

std::string operator_of(const std::string& kind) {
  return to_lower(kind) + "-controller";
}

void note_policy(const std::string& field, std::string_view why, Job& job) {
  note_ignored("spec.runPolicy.schedulingPolicy." + field, why, job);
}

CleanUp kubeflow_clean_up(std::string_view name) {
  if (name == "Running") return CleanUp::kUnfinished;
  if (name == "All") return CleanUp::kAll;
  return CleanUp::kNone;
}

}  // namespace

// ---- from the manifest to the model ----

void set_kubeflow_run_policy(const api::KubeflowRunPolicy& policy, Where where, Job& job) {
  job.run_policy.backoff_limit = policy.backoff_limit;
  job.run_policy.clean_up = kubeflow_clean_up(policy.clean_pod_policy);
  job.run_policy.deadline_clock = DeadlineClock::kFromAccepted;
  read_limits(policy, job.run_policy);
  job.run_mode.paused = policy.suspend;
  job.managed_elsewhere = !is_our_manager(policy.managed_by, where);
}

void add_kubeflow_roles(const std::map<std::string, api::KubeflowReplicaSpec>& specs,
                        std::initializer_list<const char*> order, Job& job) {
  for (const char* type : order) {
    const auto found = api::find_role_in(specs, type);
    if (found == specs.end()) continue;
    const api::KubeflowReplicaSpec& replica_spec = found->second;
    job.roles.push_back({.type = type,
                         .replicas = replica_spec.replicas.value_or(1),
                         .restart_policy = restart_policy_from(replica_spec.restart_policy, RestartPolicy::kOnFailure),
                         .pod_template = replica_spec.template_,
                         .only_serves = is_parameter_server(type)});
    const std::string& written = replica_spec.template_.spec.restart_policy;
    if (!written.empty() && written != "Never") {
      job.notices.push_back({.reason = "SetPodTemplateRestartPolicy",
                             .message = fmt::format(
                                 "restartPolicy {} in the template of role {} is ignored: pods never restart in place, "
                                 "the role's own restartPolicy replaces them",
                                 written, type)});
    }
  }
}

void follow_scheduling_policy(const api::KubeflowRunPolicy& run_policy, Job& job) {
  if (!run_policy.scheduling_policy) return;
  const api::KubeflowSchedulingPolicy& policy = *run_policy.scheduling_policy;
  // Roles that start one after the other are gangs of their own, of which each starts as a whole.
  const bool is_staged = std::ranges::any_of(job.roles, [](const Role& role) { return !role.starts_after.empty(); });
  if (policy.min_available && is_staged) {
    note_policy("minAvailable", "all workers start together, and the launcher after them", job);
  } else if (policy.min_available && job.elastic_min) {
    note_policy("minAvailable", "spec.elasticPolicy says how many start together", job);
  } else if (policy.min_available) {
    job.elastic_min = std::clamp(*policy.min_available, 1, std::max(1, total_replicas(job)));
  }
  if (!policy.min_resources.empty()) {
    note_policy("minResources", "the job waits for what its pods request", job);
  }
  if (policy.schedule_timeout_seconds) {
    note_policy("scheduleTimeoutSeconds", "the job waits until all its pods can be scheduled", job);
  }
  for (Role& role : job.roles) {
    json::Document& spec = role.pod_template.spec.rest;
    if (!policy.priority_class.empty() && spec.string_at("priorityClassName").empty()) {
      spec["priorityClassName"] = policy.priority_class;
    }
  }
}

void set_kubeflow_children(const std::string& port_name, Job& job) {
  job.pod_name_prefix = job.name + "-";
  job.labels = {
      .common = {{api::kKubeflowOperatorLabel, operator_of(job.kind)}, {api::kKubeflowJobNameLabel, job.name}},
      .type_key = api::kKubeflowReplicaTypeLabel,
      .index_key = api::kKubeflowReplicaIndexLabel,
      .role_key = api::kKubeflowJobRoleLabel};
  job.services = Services::kPerReplica;
  job.port_name = port_name;
}

EventReasons kubeflow_events(const std::string& kind) {
  return {.created = kind + "Created",
          .running = kind + "Running",
          .restarting = kind + "Restarting",
          .paused = kind + "Suspended",
          .resumed = kind + "Resumed",
          .scaled = kind + "Scaled",
          .succeeded = kind + "Succeeded",
          .failed = kind + "Failed",
          .backoff_exhausted = kind + "Failed",
          .deadline_exceeded = kind + "Failed"};
}

// ---- from Kubeflow's status to the model ----

namespace {

// In the message of Running, before how the replica failed for good.
constexpr std::string_view kWithoutReplica = " It keeps running without a replica: ";
// In the messages of Failed and Restarting, before the cause.
constexpr std::string_view kBecause = " because ";

/// Returns what follows the mark; "" when the text does not have it.
std::string text_after(const std::string& text, std::string_view mark) {
  const auto at = text.find(mark);
  return at == std::string::npos ? std::string() : text.substr(at + mark.size());
}

/// Returns the cause in a sentence of ours; a sentence of another operator as it is.
std::string cause_in(const std::string& sentence) {
  std::string cause = text_after(sentence, kBecause);
  if (cause.empty()) return sentence;
  if (cause.ends_with('.')) cause.pop_back();
  return cause;
}

std::vector<RoleStatus> roles_from(const std::map<std::string, api::KubeflowReplicaStatus>& counts) {
  std::vector<RoleStatus> roles;
  for (const auto& [type, count] : counts) {
    roles.push_back({.type = type,
                     .counts = {{"Running", count.active}, {"Succeeded", count.succeeded}, {"Failed", count.failed}}});
  }
  return roles;
}

Phase kubeflow_phase(const std::vector<api::Condition>& conditions) {
  if (is_true(conditions, "Failed")) return Phase::kFailed;
  if (is_true(conditions, "Succeeded")) return Phase::kSucceeded;
  if (is_true(conditions, "Suspended")) return Phase::kPaused;
  if (is_true(conditions, "Restarting") || is_true(conditions, "Running")) return Phase::kRunning;
  if (api::find_condition(conditions, "Suspended") != nullptr) return Phase::kResuming;
  return api::find_condition(conditions, "Created") != nullptr ? Phase::kPending : Phase::kNew;
}

/// Operators of the time of v1alpha1 write no conditions.
Phase launcher_phase(std::string_view launcher_status) {
  if (launcher_status == "Succeeded") return Phase::kSucceeded;
  if (launcher_status == "Failed") return Phase::kFailed;
  return launcher_status == "Active" ? Phase::kRunning : Phase::kNew;
}

}  // namespace

JobStatus read_kubeflow_status(const json::Document& object) {
  auto from = decoded_status<api::KubeflowJobStatus>(object);
  restore_state(from);
  JobStatus status;
  status.phase = kubeflow_phase(from.conditions);
  if (from.conditions.empty()) status.phase = launcher_phase(object.string_at("status", "launcherStatus"));
  if (is_finished(status.phase) && !from.conditions.empty()) {
    const auto* end = api::find_condition(from.conditions, status.phase == Phase::kFailed ? "Failed" : "Succeeded");
    status.reason = end->reason;
    status.message = cause_in(end->message);
    status.outcome_since = end->last_transition_time;
  } else if (const auto* waiting = api::find_condition(from.conditions, kWaiting)) {
    status.reason = waiting->reason;
    status.message = waiting->message;
  }
  if (is_true(from.conditions, "Restarting")) {
    status.replica_failure = true;
    status.replica_failure_message = cause_in(api::find_condition(from.conditions, "Restarting")->message);
  }
  if (const auto* running = api::find_condition(from.conditions, "Running")) {
    status.lost = text_after(running->message, kWithoutReplica);
  }
  status.stalled = read_stall(from.conditions);
  read_pause(api::find_condition(from.conditions, "Suspended"), status);
  status.roles = roles_from(from.replica_statuses);
  status.restarts = from.restart_count.value_or(0);
  read_progress(from, status);
  return status;
}

// ---- from the model to Kubeflow's status ----

namespace {

/// Kubeflow's list of conditions, in which the last one is the job's state.
class KubeflowConditions {
 public:
  KubeflowConditions(std::vector<api::Condition>& list, Time now)
      : list_(list), now_(now), frozen_(is_true(list, "Failed")) {}

  void set(std::string type, bool value, std::string reason, std::string message) {
    if (frozen_) return;
    const api::Condition* old = api::find_condition(list_, type);
    api::Condition next = next_condition(old, std::move(type), value, std::move(reason), std::move(message), now_);
    if (old != nullptr && old->status == next.status && old->reason == next.reason) return;
    next.last_update_time = now_;
    std::erase_if(list_, [&](const api::Condition& c) { return c.type == next.type || excludes(next.type, c.type); });
    if (value && (next.type == "Failed" || next.type == "Succeeded")) end_running();
    list_.push_back(std::move(next));
  }
  /// Sets a condition that is not the job's state: it stands after Created, so that the last one stays what it is.
  void note(std::string type, bool value, std::string reason, std::string message) {
    if (frozen_) return;
    const auto old = std::ranges::find(list_, type, &api::Condition::type);
    api::Condition next = next_condition(old == list_.end() ? nullptr : &*old, std::move(type), value,
                                         std::move(reason), std::move(message), now_);
    if (old != list_.end() && old->status == next.status && old->message == next.message) return;
    next.last_update_time = now_;
    if (old != list_.end()) {
      *old = std::move(next);
    } else {
      list_.insert(list_.begin() + 1, std::move(next));
    }
  }
  /// Sets the condition of a job that waits; an empty reason removes it. It stands in front, so that the last one stays
  /// the job's state.
  void wait(const std::string& reason, const std::string& message) {
    if (frozen_) return;
    const api::Condition* old = api::find_condition(list_, kWaiting);
    if (old != nullptr && old->reason == reason && old->message == message) return;
    api::Condition next = next_condition(old, kWaiting, true, reason, message, now_);
    next.last_update_time = now_;
    std::erase_if(list_, [](const api::Condition& one) { return one.type == kWaiting; });
    if (!reason.empty()) list_.insert(list_.begin(), std::move(next));
  }
  bool has(std::string_view type) const { return api::find_condition(list_, type) != nullptr; }
  /// Changes only the message, in place: the job's state stays what it is.
  void explain(std::string_view type, const std::string& message) {
    const auto found = std::ranges::find(list_, type, &api::Condition::type);
    if (frozen_ || found == list_.end() || found->message == message) return;
    found->message = message;
    found->last_update_time = now_;
  }

 private:
  static bool excludes(std::string_view added, std::string_view other) {
    return (added == "Restarting" && other == "Running") || (added == "Running" && other == "Restarting");
  }
  /// Keeps reason and message, as Kubeflow does: they describe what has ended.
  void end_running() {
    for (auto& condition : list_) {
      if ((condition.type != "Running" && condition.type != "Restarting") || condition.status == "False") continue;
      condition.status = "False";
      condition.last_update_time = now_;
      condition.last_transition_time = now_;
    }
  }

  std::vector<api::Condition>& list_;
  Time now_;
  bool frozen_;
};

void set_kubeflow_conditions(const JobStatus& status, const json::Document& object, Time now,
                             std::vector<api::Condition>& list) {
  const std::string& kind = object.string_at("kind");
  const std::string& name = object.string_at("metadata", "name");
  const auto says = [&](std::string_view what) { return fmt::format("{} {} is {}.", kind, name, what); };
  const EventReasons events = kubeflow_events(kind);
  KubeflowConditions conditions(list, now);
  conditions.set("Created", true, events.created, says("created"));
  conditions.explain("Created", says("created"));  // an earlier version said there what the job waits for
  const bool may_wait =
      status.phase == Phase::kPending || status.phase == Phase::kResuming || status.phase == Phase::kRunning;
  conditions.wait(may_wait ? status.reason : "", status.message);
  if (!status.stalled.empty() || conditions.has(kStalled)) {
    conditions.note(kStalled, !status.stalled.empty(), stall_reason(status), stall_message(status));
  }
  switch (status.phase) {
    case Phase::kNew:
    case Phase::kPending:
      break;
    case Phase::kResuming:
      conditions.set("Suspended", false, events.resumed, says("resumed"));
      break;
    case Phase::kPaused:
      for (const char* type : {"Running", "Restarting"}) {
        if (conditions.has(type)) conditions.set(type, false, events.paused, says("suspended"));
      }
      conditions.set("Suspended", true, events.paused, says("suspended"));
      return;
    case Phase::kRunning:
      if (conditions.has("Suspended")) conditions.set("Suspended", false, events.resumed, says("resumed"));
      if (!status.replica_failure) conditions.set("Running", true, events.running, says("running"));
      conditions.explain("Running", status.lost.empty() ? says("running")
                                                        : says("running") + std::string(kWithoutReplica) + status.lost);
      break;
    case Phase::kSucceeded:
      conditions.set("Succeeded", true, events.succeeded, says("successfully completed"));
      return;
    case Phase::kFailed:
      conditions.set("Failed", true, status.reason.empty() ? events.failed : status.reason,
                     fmt::format("{} {} is failed{}{}.", kind, name, kBecause, status.message));
      return;
  }
  if (status.replica_failure) {
    conditions.set("Restarting", true, events.restarting,
                   fmt::format("{} {} is restarting{}{}.", kind, name, kBecause, status.replica_failure_message));
  }
}

std::map<std::string, api::KubeflowReplicaStatus> kubeflow_counts(const JobStatus& status,
                                                                  const json::Document& object) {
  std::map<std::string, api::KubeflowReplicaStatus> counts;
  for (const auto& role : status.roles) {
    api::KubeflowReplicaStatus& count = counts[role.type];
    for (const auto& [phase, replicas] : role.counts) {
      if (phase == "Running") count.active = replicas;
      if (phase == "Succeeded") count.succeeded = replicas;
      if (phase == "Failed") count.failed = replicas;
    }
    // Queueing systems wait for zero after they suspend a job; pods that still run are being deleted.
    if (status.phase == Phase::kPaused) count.active = 0;
    if (status.phase == Phase::kSucceeded) count.succeeded += std::exchange(count.active, 0);
    count.selector = fmt::format("{}={},{}={},{}={}", api::kKubeflowJobNameLabel, object.string_at("metadata", "name"),
                                 api::kKubeflowOperatorLabel, operator_of(object.string_at("kind")),
                                 api::kKubeflowReplicaTypeLabel, to_lower(role.type));
  }
  return counts;
}

}  // namespace

json::Document project_kubeflow_status(const JobStatus& status, const json::Document& object, Where where, Time now) {
  api::KubeflowJobStatus to = decoded_status<api::KubeflowJobStatus>(object);
  // Once the job has ended its counts are final, even if clean-up removes pods.
  const bool was_finished = is_finished(kubeflow_phase(to.conditions));
  std::erase_if(to.conditions, [](const api::Condition& one) { return one.type == kRefused; });
  set_kubeflow_conditions(status, object, now, to.conditions);
  if (!was_finished) to.replica_statuses = kubeflow_counts(status, object);
  to.restart_count = status.restarts;
  write_progress(status, to);
  if (where == Where::kCluster) keep_state(to, now);
  return reflect::encode(to);
}

}  // namespace muster::jobs
