#include "control/job/pytorch_training_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "api/names.h"
#include "api/tensorstack_v1beta1.h"
#include "base/clamped_seconds.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "reflect/reflect.h"

namespace muster::control {

namespace {

constexpr std::string_view kApiVersion = "batch.tensorstack.dev/v1beta1";
constexpr std::string_view kKindName = "PyTorchTrainingJob";
constexpr int kClusterPort = 29500;  // torch's own default
constexpr int kDefaultBackoffLimit = 3;

// ---- to the model ----

/// The children's infix: new for a job of the same name made later, the same through restarts and crashes.
std::string infix(const std::string& uid) {
  return sha256_hex(uid).substr(0, 5);
}

CleanUp clean_up_from(std::string_view name) {
  if (name == "Unfinished") return CleanUp::kUnfinished;
  if (name == "All") return CleanUp::kAll;
  return CleanUp::kNone;
}

void set_run_policy(const api::PyTorchTrainingJobSpec& spec, Job& job) {
  const api::TrainingRunPolicy policy = spec.run_policy.value_or(api::TrainingRunPolicy{});
  job.run_policy.backoff_limit = policy.backoff_limit.value_or(kDefaultBackoffLimit);
  job.run_policy.clean_up = clean_up_from(policy.clean_up_policy);
  job.run_policy.deadline_clock = DeadlineClock::kFromRunning;
  job.run_policy.deadline_deletes_unfinished = true;
  if (policy.active_deadline_seconds) {
    job.run_policy.active_deadline = clamped_seconds(*policy.active_deadline_seconds);
  }
  if (policy.ttl_seconds_after_finished) {
    job.run_policy.ttl_after_finished = std::chrono::seconds(*policy.ttl_seconds_after_finished);
  }
}

/// Replicas beyond those in the roles are shared out by scalingWeight, largest remainder first; fewer are taken from
/// the last roles, and never the first replica.
void scale_to(int expected, const std::vector<api::TrainingReplicaSpec>& specs, std::vector<Role>& roles) {
  int total = 0;
  std::int64_t weights = 0;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    total += roles[i].replicas;
    weights += std::max(specs[i].scaling_weight.value_or(1), 0);
  }
  for (std::size_t i = roles.size(); i-- > 0 && total > expected;) {
    const int least = i == 0 ? 1 : 0;
    const int taken = std::clamp(roles[i].replicas - least, 0, total - expected);
    roles[i].replicas -= taken;
    total -= taken;
  }
  const int growth = expected - total;
  if (growth <= 0 || weights == 0) return;
  std::vector<std::pair<std::int64_t, std::size_t>> remainders;
  int given = 0;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const std::int64_t share = std::int64_t{growth} * std::max(specs[i].scaling_weight.value_or(1), 0);
    roles[i].replicas += static_cast<int>(share / weights);
    given += static_cast<int>(share / weights);
    remainders.emplace_back(-(share % weights), i);
  }
  std::ranges::sort(remainders);
  for (std::size_t i = 0; given < growth; ++i, ++given) roles[remainders[i].second].replicas += 1;
}

void set_roles(const api::PyTorchTrainingJobSpec& spec, Job& job) {
  for (const auto& replica_spec : spec.replica_specs) {
    job.roles.push_back({.type = replica_spec.type,
                         .replicas = replica_spec.replicas.value_or(1),
                         .restart_policy = restart_policy_from(replica_spec.restart_policy, RestartPolicy::kOnFailure),
                         .pod_template = replica_spec.template_});
  }
  if (!spec.elastic || !spec.elastic->enabled) return;
  if (spec.elastic->expected_replicas) scale_to(*spec.elastic->expected_replicas, spec.replica_specs, job.roles);
  job.elastic_min = spec.elastic->min_replicas;
}

std::string nnodes(const api::PyTorchTrainingJobSpec& spec, int total) {
  if (spec.elastic && spec.elastic->enabled) {
    return fmt::format("{}:{}", spec.elastic->min_replicas.value_or(1), spec.elastic->max_replicas.value_or(total));
  }
  const auto& least = spec.torchrun_config->min_nodes;
  return least && *least < total ? fmt::format("{}:{}", *least, total) : std::to_string(total);
}

Launch launch_of(const api::PyTorchTrainingJobSpec& spec, int total) {
  if (!spec.torchrun_config || !spec.torchrun_config->enabled) return PlainLaunch{};
  const api::TorchrunConfig& config = *spec.torchrun_config;
  return TorchrunLaunch{.nnodes = nnodes(spec, total),
                        .proc_per_node = config.proc_per_node.empty() ? "1" : config.proc_per_node,
                        .rdzv_backend = config.rdzv_backend.empty() ? "c10d" : config.rdzv_backend,
                        .max_restarts = config.max_restarts.value_or(0),
                        .extra_options = config.extra_options};
}

void set_run_mode(const api::RunMode& mode, Job& job) {
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
    // The args belong to the training command: `sleep inf train.py` would fail.
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

void set_children(Where where, Job& job) {
  const std::string stem = job.name + "-" + infix(job.uid);
  job.pod_name_prefix = stem + "-";
  job.labels = {.common = {{api::kOwnerNameLabel, job.name}},
                .type_key = api::kReplicaTypeLabel,
                .index_key = api::kReplicaIndexLabel,
                .role_key = api::kJobRoleLabel};
  job.training_containers = {"pytorch", "python"};
  if (where == Where::kCluster) {
    job.fixed_port = kClusterPort;
    job.services = Services::kMasterAndSubdomain;
    job.subdomain = stem;
  }
}

void add_notices(const api::PyTorchTrainingJobSpec& spec, Job& job) {
  note_reserved_variables(job);
  if (job.roles.front().restart_policy == RestartPolicy::kAlways) {
    job.notices.push_back({.reason = "NeverSucceeds",
                           .message = fmt::format("role {} decides the job and is always started again: the job cannot "
                                                  "succeed; use restartPolicy OnFailure",
                                                  job.roles.front().type)});
  }
  if (spec.tensorboard_spec) {
    job.notices.push_back(
        {.reason = "TensorBoardNotStarted", .message = "spec.tensorboardSpec is kept, but no TensorBoard is started"});
  }
  if (spec.scheduler && spec.scheduler->t9k_scheduler) {
    job.notices.push_back({.reason = "QueueIgnored",
                           .message = "spec.scheduler.t9kScheduler is kept, but queue and priority are not followed; "
                                      "the replicas still start together"});
  }
}

Result<Job> normalise(const json::Document& object, Where where) {
  TRY_ASSIGN(const json::Document complete, checked(object, kApiVersion, kKindName));
  TRY_ASSIGN(const auto decoded, reflect::decode<api::PyTorchTrainingJob>(complete));
  const api::PyTorchTrainingJobSpec& spec = decoded.spec;
  Job job;
  set_identity(object, job);
  set_run_policy(spec, job);
  set_roles(spec, job);
  job.launch = launch_of(spec, total_replicas(job));
  if (spec.run_mode) set_run_mode(*spec.run_mode, job);
  job.decider = Decider::kFirstReplica;
  job.retryable_exits = RetryableExits::kListed;
  set_children(where, job);
  job.events = {.created = "Created",
                .running = "Start",
                .restarting = "PodRestarted",
                .paused = "Paused",
                .resumed = "Resumed",
                .scaled = "Scaled",
                .succeeded = "Succeeded",
                .failed = "Failed",
                .backoff_exhausted = "BackoffExhausted",
                .deadline_exceeded = "DeadlineExceeded"};
  add_notices(spec, job);
  return job;
}

// ---- status, from the kind's words ----

const api::Condition* find_condition(const std::vector<api::Condition>& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &api::Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

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

/// The condition whose reason and message say why the job is in its phase.
std::string_view telling_condition(Phase phase) {
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

std::vector<RoleStatus> roles_from(const std::vector<api::TaskStatus>& tasks) {
  std::vector<RoleStatus> roles;
  for (const auto& task : tasks) {
    RoleStatus role{.type = task.type, .restarts = task.restart_count};
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
  return roles;
}

api::TrainingJobStatus decoded_status(const json::Document& object) {
  const json::Document* status = object.find("status");
  if (status == nullptr) return {};
  return reflect::decode<api::TrainingJobStatus>(*status).value_or(api::TrainingJobStatus{});
}

JobStatus read_status(const json::Document& object) {
  const api::TrainingJobStatus from = decoded_status(object);
  JobStatus status;
  status.phase = phase_from(from.phase);
  if (const auto* telling = find_condition(from.conditions, telling_condition(status.phase));
      telling != nullptr && telling->reason != "-") {
    status.reason = telling->reason;
    status.message = telling->message;
  }
  if (const auto* failure = find_condition(from.conditions, "ReplicaFailure"); failure != nullptr) {
    status.replica_failure = failure->status == "True";
    if (status.replica_failure) status.replica_failure_message = failure->message;
  }
  if (const auto* paused = find_condition(from.conditions, "Paused"); paused != nullptr) {
    status.resumed = paused->status == "False";
    if (paused->status == "True") status.paused_at = paused->last_transition_time;
  }
  status.roles = roles_from(from.tasks);
  status.restarts = from.backoff_count;
  read_progress(from, status);
  return status;
}

// ---- status, to the kind's words ----

/// Conditions in one order, their times kept while their status stays.
class Conditions {
 public:
  Conditions(const std::vector<api::Condition>& before, Time now) : before_(before), now_(now) {}

  void set(std::string type, bool value, std::string reason, std::string message) {
    const char* status = value ? "True" : "False";
    const api::Condition* old = find_condition(before_, type);
    const bool same = old != nullptr && old->status == status;
    result_.push_back({.type = std::move(type),
                       .status = status,
                       .reason = std::move(reason),
                       .message = std::move(message),
                       .last_update_time = std::nullopt,
                       .last_transition_time = same ? old->last_transition_time : std::optional<Time>(now_)});
  }
  bool had(std::string_view type) const { return find_condition(before_, type) != nullptr; }
  std::vector<api::Condition> take() && { return std::move(result_); }

 private:
  const std::vector<api::Condition>& before_;
  Time now_;
  std::vector<api::Condition> result_;
};

constexpr const char* kNoReason = "-";

void set_running(const JobStatus& status, Conditions& conditions) {
  switch (status.phase) {
    case Phase::kRunning:
      conditions.set("Running", true, kNoReason,
                     status.replica_failure ? "the job is running; a replica is started again" : "all pods are normal");
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

void set_outcome(const JobStatus& status, Conditions& conditions) {
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
  Conditions conditions(before, now);
  conditions.set("Initialized", true, kNoReason, "the job is initialised");
  set_running(status, conditions);
  conditions.set("ReplicaFailure", status.replica_failure, kNoReason,
                 status.replica_failure ? status.replica_failure_message : "all pods are normal");
  set_outcome(status, conditions);
  if (status.phase == Phase::kPaused) {
    conditions.set("Paused", true, kNoReason, "pods are removed until the job is resumed");
  } else if (conditions.had("Paused")) {
    conditions.set("Paused", false, kNoReason, "the job was resumed");
  }
  return std::move(conditions).take();
}

std::vector<api::TaskStatus> tasks_of(const std::vector<RoleStatus>& roles) {
  std::vector<api::TaskStatus> tasks;
  for (const auto& role : roles) {
    api::TaskStatus task{.type = role.type, .restart_count = role.restarts, .replicas = {}};
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

json::Document project(const JobStatus& status, const json::Document& object, Time now) {
  api::TrainingJobStatus to = decoded_status(object);  // what others keep there stays
  to.phase = phase_name(status.phase);
  to.conditions = conditions_of(status, to.conditions, now);
  to.tasks = tasks_of(status.roles);
  to.aggregate = aggregate_of(status.roles);
  to.backoff_count = status.restarts;
  write_progress(status, to);
  return reflect::encode(to);
}

}  // namespace

Kind pytorch_training_job_kind() {
  return {.api_version = kApiVersion,
          .kind = kKindName,
          .normalise = normalise,
          .read_status = read_status,
          .project = project};
}

}  // namespace muster::control
