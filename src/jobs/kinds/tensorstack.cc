#include "jobs/kinds/tensorstack.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "api/muster/names.h"
#include "jobs/kinds/status.h"

namespace muster::jobs {

namespace {

constexpr int kDefaultBackoffLimit = 3;

}  // namespace

// ---- from the manifest to the model ----

CleanUp tensorstack_clean_up(std::string_view name) {
  if (name == "Unfinished") return CleanUp::kUnfinished;
  if (name == "All") return CleanUp::kAll;
  return CleanUp::kNone;
}

void set_tensorstack_run_policy(const api::TrainingRunPolicy& policy, Job& job) {
  job.run_policy.backoff_limit = policy.backoff_limit.value_or(kDefaultBackoffLimit);
  job.run_policy.clean_up = tensorstack_clean_up(policy.clean_up_policy);
  job.run_policy.deadline_clock = DeadlineClock::kFromRunning;
  job.run_policy.deadline_deletes_unfinished = true;
  read_limits(policy, job.run_policy);
}

void set_launcher_run_policy(const api::LauncherRunPolicy& policy, Job& job) {
  job.run_policy.backoff_limit = kDefaultBackoffLimit;
  job.run_policy.has_limit_field = false;
  job.run_policy.clean_up = policy.clean_up_workers ? CleanUp::kAll : CleanUp::kNone;
  if (policy.ttl_seconds_after_finished) {
    job.run_policy.ttl_after_finished = std::chrono::seconds(*policy.ttl_seconds_after_finished);
  }
}

void add_tensorstack_roles(const std::vector<api::TrainingReplicaSpec>& specs, Job& job) {
  for (const auto& replica_spec : specs) {
    job.roles.push_back({.type = replica_spec.type,
                         .replicas = replica_spec.replicas.value_or(1),
                         .restart_policy = restart_policy_from(replica_spec.restart_policy, RestartPolicy::kOnFailure),
                         .pod_template = replica_spec.template_,
                         .only_serves = is_parameter_server(replica_spec.type)});
  }
}

void set_tensorstack_run_mode(const api::RunMode& mode, Job& job) {
  if (mode.pause) {
    job.run_mode.paused = mode.pause->enabled;
    for (const auto& resume : mode.pause->resume_specs) {
      TemplateOverride change{.skip_init_containers = resume.skip_init_container, .command = {}, .args = {}};
      if (!resume.command.empty()) change.command = resume.command;
      if (!resume.args.empty()) change.args = resume.args;
      job.run_mode.resuming[resume.type] = std::move(change);
    }
  }
  if (!mode.debug || !mode.debug->enabled) return;
  job.run_mode.debug = true;
  for (const Role& role : job.roles) {
    // The args are dropped because they belong to the training command: `sleep inf train.py` would fail.
    job.run_mode.debugging[role.type] = {.skip_init_containers = false,
                                         .command = std::vector<std::string>{"sleep", "inf"},
                                         .args = std::vector<std::string>{}};
  }
  for (const auto& debug : mode.debug->replica_specs) {
    TemplateOverride& change = job.run_mode.debugging[debug.type];
    change.skip_init_containers = debug.skip_init_container;
    if (!debug.command.empty()) change.command = debug.command;
    change.args = std::vector<std::string>{};
  }
}

void set_tensorstack_children(Where where, Job& job) {
  const std::string stem = unique_name(job);
  job.pod_name_prefix = stem + "-";
  job.labels = {.common = {{api::kOwnerNameLabel, job.name}},
                .type_key = api::kReplicaTypeLabel,
                .index_key = api::kReplicaIndexLabel,
                .role_key = api::kJobRoleLabel};
  if (where == Where::kCluster) {
    job.services = Services::kMasterAndSubdomain;
    job.subdomain = stem;
  }
}

void set_tensorboard(const std::optional<api::TensorBoardSpec>& spec, Job& job) {
  if (!spec) return;
  job.objects.push_back(json::Object{{"apiVersion", "tensorstack.dev/v1beta1"},
                                     {"kind", "TensorBoard"},
                                     {"metadata", json::Object{{"name", unique_name(job)}}},
                                     {"spec", reflect::encode(*spec)}});
}

EventReasons tensorstack_events() {
  return {.created = "Created",
          .running = "Start",
          .restarting = "PodRestarted",
          .paused = "Paused",
          .resumed = "Resumed",
          .scaled = "Scaled",
          .succeeded = "Succeeded",
          .failed = "Failed",
          .backoff_exhausted = "BackoffExhausted",
          .deadline_exceeded = "DeadlineExceeded"};
}

void note_endless_decider(Job& job) {
  const std::string& decider = job.succeeds_when.front().members.front().role;
  const auto role = std::ranges::find(job.roles, decider, &Role::type);
  if (role == job.roles.end() || role->restart_policy != RestartPolicy::kAlways) return;
  job.notices.push_back({.reason = "NeverSucceeds",
                         .message = fmt::format("role {} decides the result and always restarts, so the job cannot "
                                                "succeed; use restartPolicy OnFailure",
                                                decider)});
}

// ---- from TensorStack's status to the model ----

namespace {

Phase phase_from(std::string_view name) {
  if (name == "Pending") return Phase::kPending;
  if (name == "Running") return Phase::kRunning;
  if (name == "Paused") return Phase::kPaused;
  if (name == "Resuming") return Phase::kResuming;
  if (name == "Succeeded") return Phase::kSucceeded;
  if (name == "Failed") return Phase::kFailed;
  return Phase::kNew;
}

std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::kNew:
    case Phase::kPending:
      return "Pending";
    case Phase::kRunning:
      return "Running";
    case Phase::kPaused:
      return "Paused";
    case Phase::kResuming:
      return "Resuming";
    case Phase::kSucceeded:
      return "Succeeded";
    case Phase::kFailed:
      return "Failed";
  }
  return "Unknown";
}

/// Returns the condition whose reason and message explain why the job is in its phase.
std::string_view explaining_condition(Phase phase) {
  switch (phase) {
    case Phase::kFailed:
      return "Failed";
    case Phase::kSucceeded:
      return "Completed";
    case Phase::kPaused:
      return "Paused";
    case Phase::kNew:
    case Phase::kPending:
    case Phase::kRunning:
    case Phase::kResuming:
      return "Running";
  }
  return "Running";
}

// Reason of ReplicaFailure if the replica does not restart and the job keeps running without it.
constexpr const char* kLostReason = "FailedForGood";

std::optional<TensorBoardState> tensorboard_from(const std::optional<api::JobTensorBoardStatus>& from) {
  if (!from || !from->dependent) return std::nullopt;
  return TensorBoardState{
      .name = from->dependent->name, .uid = from->dependent->uid, .ready = from->ready, .message = from->note};
}

/// The status lists the first replicas one by one, and counts all of them in `aggregate`; those that are not listed
/// belong to the last role.
void count_unlisted(const api::AggregateStatus& all, std::vector<RoleStatus>& roles) {
  if (roles.empty()) return;
  for (const auto& [phase, count] : {std::pair{"Running", all.running}, std::pair{"Succeeded", all.succeeded}}) {
    int listed = 0;
    for (RoleStatus& role : roles) listed += role.counts[phase];
    roles.back().counts[phase] += std::max(0, count - listed);
  }
}

std::vector<RoleStatus> roles_from(const std::vector<api::TaskStatus>& tasks, const api::AggregateStatus& all) {
  std::vector<RoleStatus> roles;
  for (const auto& task : tasks) {
    RoleStatus role{.type = task.type, .restarts = task.restart_count, .charged = task.charged_count.value_or(0)};
    for (const auto& replica : task.replicas) {
      ReplicaStatus state{.pod = replica.name, .uid = replica.uid, .phase = replica.phase, .containers = {}};
      for (const auto& c : replica.containers) {
        state.containers.push_back({.name = c.name, .state = c.state, .exit_code = c.exit_code});
      }
      ++role.counts[replica.phase];
      role.replicas.push_back(std::move(state));
    }
    roles.push_back(std::move(role));
  }
  count_unlisted(all, roles);
  return roles;
}

}  // namespace

JobStatus read_tensorstack_status(const json::Document& object) {
  const api::TrainingJobStatus from = decoded_status<api::TrainingJobStatus>(object);
  JobStatus status;
  status.phase = phase_from(from.phase);
  if (const auto* explanation = api::find_condition(from.conditions, explaining_condition(status.phase));
      explanation != nullptr && explanation->reason != "-") {
    status.reason = explanation->reason;
    status.message = explanation->message;
  }
  if (const auto* failure = api::find_condition(from.conditions, "ReplicaFailure"); failure != nullptr) {
    const bool is_lost = failure->reason == kLostReason;
    status.replica_failure = failure->status == "True" && !is_lost;
    if (status.replica_failure) status.replica_failure_message = failure->message;
    if (is_lost) status.lost = failure->message;
  }
  status.stalled = read_stall(from.conditions);
  read_pause(api::find_condition(from.conditions, "Paused"), status);
  status.roles = roles_from(from.tasks, from.aggregate);
  status.restarts = from.backoff_count;
  read_progress(from, status);
  status.tensorboard = tensorboard_from(from.tensorboard);
  return status;
}

// ---- from the model to TensorStack's status ----

namespace {

/// Keeps the conditions in one order, and their times while their status is unchanged.
class OrderedConditions {
 public:
  OrderedConditions(const std::vector<api::Condition>& before, Time now) : before_(before), now_(now) {}

  void set(std::string type, bool value, std::string reason, std::string message) {
    const api::Condition* old = api::find_condition(before_, type);
    result_.push_back(next_condition(old, std::move(type), value, std::move(reason), std::move(message), now_));
  }
  bool had(std::string_view type) const { return api::find_condition(before_, type) != nullptr; }
  std::vector<api::Condition> take() && { return std::move(result_); }

 private:
  const std::vector<api::Condition>& before_;
  Time now_;
  std::vector<api::Condition> result_;
};

constexpr const char* kNoReason = "-";

const char* how_it_runs(const JobStatus& status) {
  if (status.replica_failure) return "the job is running; a replica is restarting";
  return status.lost.empty() ? "all pods are normal" : "the job is running without a replica that failed for good";
}

void set_running(const JobStatus& status, OrderedConditions& conditions) {
  switch (status.phase) {
    case Phase::kRunning:
      if (status.reason.empty()) {
        conditions.set("Running", true, kNoReason, how_it_runs(status));
      } else {  // what a replica waits for that is not up
        conditions.set("Running", true, status.reason, status.message);
      }
      return;
    case Phase::kSucceeded:
    case Phase::kFailed:
    case Phase::kPaused:
      conditions.set("Running", false, std::string(phase_name(status.phase)), "the job is not running");
      return;
    case Phase::kNew:
    case Phase::kPending:
    case Phase::kResuming:
      if (!status.reason.empty()) {
        conditions.set("Running", false, status.reason, status.message);
      } else if (conditions.had("Running")) {
        conditions.set("Running", false, kNoReason, "waiting for all replicas to run");
      }
      return;
  }
}

void set_outcome(const JobStatus& status, OrderedConditions& conditions) {
  if (status.phase == Phase::kSucceeded) {
    conditions.set("Completed", true, "Succeeded", status.message);
    conditions.set("Failed", false, "Succeeded", status.message);
  } else if (status.phase == Phase::kFailed) {
    conditions.set("Completed", false, "Failed", status.message);
    conditions.set("Failed", true, status.reason.empty() ? "Failed" : status.reason, status.message);
  }
}

std::vector<api::Condition> conditions_of(const JobStatus& status, const std::vector<api::Condition>& before,
                                          Time now) {
  OrderedConditions conditions(before, now);
  conditions.set("Initialized", true, kNoReason, "the job is initialised");
  set_running(status, conditions);
  if (!status.replica_failure && !status.lost.empty()) {
    conditions.set("ReplicaFailure", true, kLostReason, status.lost);
  } else {
    conditions.set("ReplicaFailure", status.replica_failure, kNoReason,
                   status.replica_failure ? status.replica_failure_message : "all pods are normal");
  }
  set_outcome(status, conditions);
  if (status.phase == Phase::kPaused) {
    conditions.set("Paused", true, kNoReason, "pods are removed until the job is resumed");
  } else if (conditions.had("Paused")) {
    conditions.set("Paused", false, kNoReason, "the job was resumed");
  }
  if (!status.stalled.empty() || conditions.had(kStalled)) {
    conditions.set(kStalled, !status.stalled.empty(), stall_reason(status), stall_message(status));
  }
  return std::move(conditions).take();
}

std::vector<api::TaskStatus> tasks_of(const std::vector<RoleStatus>& roles) {
  std::vector<api::TaskStatus> tasks;
  for (const auto& role : roles) {
    api::TaskStatus task{
        .type = role.type, .restart_count = role.restarts, .charged_count = std::nullopt, .replicas = {}};
    if (role.charged > 0) task.charged_count = role.charged;
    for (const auto& replica : role.replicas) {
      api::TaskReplicaStatus state{.name = replica.pod, .uid = replica.uid, .phase = replica.phase, .containers = {}};
      for (const auto& c : replica.containers) {
        state.containers.push_back({.name = c.name, .state = c.state, .exit_code = c.exit_code});
      }
      task.replicas.push_back(std::move(state));
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

std::optional<api::JobTensorBoardStatus> tensorboard_of(const std::optional<TensorBoardState>& state,
                                                        const std::string& ns) {
  if (!state) return std::nullopt;
  return api::JobTensorBoardStatus{.action = "NOP",
                                   .dependent = api::ObjectReference{.api_version = "tensorstack.dev/v1beta1",
                                                                     .kind = "TensorBoard",
                                                                     .ns = ns,
                                                                     .name = state->name,
                                                                     .uid = state->uid,
                                                                     .resource_version = {},
                                                                     .field_path = {}},
                                   .note = state->message,
                                   .ready = state->ready,
                                   .reason = state->ready ? "DependentReady" : "DependentNotReady",
                                   .type = "Normal"};
}

api::AggregateStatus aggregate_of(const std::vector<RoleStatus>& roles) {
  api::AggregateStatus counts;
  const std::map<std::string_view, std::int32_t*> known = {
      {"Creating", &counts.creating},   {"Pending", &counts.pending}, {"Running", &counts.running},
      {"Succeeded", &counts.succeeded}, {"Failed", &counts.failed},   {"Deleted", &counts.deleted}};
  for (const auto& role : roles) {
    for (const auto& [phase, count] : role.counts) {
      const auto found = known.find(phase);
      (found == known.end() ? counts.unknown : *found->second) += count;
    }
  }
  return counts;
}

}  // namespace

json::Document project_tensorstack_status(const JobStatus& status, const json::Document& object, Where /*where*/,
                                          Time now) {
  api::TrainingJobStatus to = decoded_status<api::TrainingJobStatus>(object);  // keeps what others wrote there
  to.phase = phase_name(status.phase);
  to.conditions = conditions_of(status, to.conditions, now);
  to.tasks = tasks_of(status.roles);
  to.aggregate = aggregate_of(status.roles);
  to.backoff_count = status.restarts;
  write_progress(status, to);
  to.tensorboard = tensorboard_of(status.tensorboard, object.string_at("metadata", "namespace"));
  return reflect::encode(to);
}

}  // namespace muster::jobs
