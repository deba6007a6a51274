#include "control/job/pytorch_job.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/kubeflow_v1.h"
#include "api/names.h"
#include "base/clamped_seconds.h"
#include "base/strings.h"
#include "reflect/reflect.h"

namespace muster::control {

namespace {

constexpr std::string_view kApiVersion = "kubeflow.org/v1";
constexpr std::string_view kKindName = "PyTorchJob";
constexpr const char* kOperatorName = "pytorchjob-controller";
constexpr const char* kPortName = "pytorchjob-port";
constexpr int kDefaultPort = 23456;
constexpr const char* kOurManager = "kubeflow.org/training-operator";

// ---- to the model ----

CleanUp clean_up_from(std::string_view name) {
  if (name == "Running") return CleanUp::kUnfinished;
  if (name == "All") return CleanUp::kAll;
  return CleanUp::kNone;
}

void set_run_policy(const api::KubeflowRunPolicy& policy, Job& job) {
  job.run_policy.backoff_limit = policy.backoff_limit;
  job.run_policy.clean_up = clean_up_from(policy.clean_pod_policy);
  job.run_policy.deadline_clock = DeadlineClock::kFromAccepted;
  if (policy.active_deadline_seconds) {
    job.run_policy.active_deadline = clamped_seconds(*policy.active_deadline_seconds);
  }
  if (policy.ttl_seconds_after_finished) {
    job.run_policy.ttl_after_finished = std::chrono::seconds(*policy.ttl_seconds_after_finished);
  }
  job.run_mode.paused = policy.suspend;
  job.managed_elsewhere = !policy.managed_by.empty() && policy.managed_by != kOurManager;
}

void set_roles(const api::PyTorchJobSpec& spec, Job& job) {
  for (const char* type : {"Master", "Worker"}) {
    const auto found = spec.pytorch_replica_specs.find(type);
    if (found == spec.pytorch_replica_specs.end()) continue;
    const api::KubeflowReplicaSpec& replica_spec = found->second;
    job.roles.push_back({.type = type,
                         .replicas = replica_spec.replicas.value_or(1),
                         .restart_policy = restart_policy_from(replica_spec.restart_policy, RestartPolicy::kOnFailure),
                         .pod_template = replica_spec.template_});
    const std::string& written = replica_spec.template_.spec.restart_policy;
    if (!written.empty() && written != "Never") {
      job.notices.push_back({.reason = "SetPodTemplateRestartPolicy",
                             .message = fmt::format(
                                 "restartPolicy {} in the template of role {} is replaced: pods are never restarted in "
                                 "place, the role's own restartPolicy makes new ones",
                                 written, type)});
    }
  }
}

KubeflowLaunch::Elastic elastic_of(const api::ElasticPolicy& policy, int workers) {
  const int least = policy.min_replicas.value_or(policy.max_replicas.value_or(workers));
  const int most = policy.max_replicas.value_or(policy.min_replicas.value_or(workers));
  std::vector<std::string> conf;
  for (const auto& entry : policy.rdzv_conf) conf.push_back(entry.key + "=" + entry.value);
  return {.nnodes = fmt::format("{}:{}", least, most),
          .rdzv_backend = policy.rdzv_backend.empty() ? "c10d" : policy.rdzv_backend,
          .rdzv_host = policy.rdzv_host,
          .rdzv_id = policy.rdzv_id,
          .rdzv_conf = join(conf, ","),
          .max_restarts = policy.max_restarts,
          .standalone = policy.standalone.value_or(false)};
}

void set_launch_style(const api::PyTorchJobSpec& spec, Job& job) {
  KubeflowLaunch launch;
  launch.has_master = spec.pytorch_replica_specs.contains("Master");
  launch.nproc_per_node = spec.nproc_per_node;
  if (spec.elastic_policy) {
    const auto worker = std::ranges::find(job.roles, "Worker", &Role::type);
    const int workers = worker == job.roles.end() ? 0 : worker->replicas;
    launch.elastic = elastic_of(*spec.elastic_policy, workers);
    job.elastic_min = spec.elastic_policy->min_replicas.value_or(spec.elastic_policy->max_replicas.value_or(workers));
    *job.elastic_min += launch.has_master ? 1 : 0;
    if (launch.nproc_per_node.empty() && spec.elastic_policy->n_proc_per_node) {
      launch.nproc_per_node = std::to_string(*spec.elastic_policy->n_proc_per_node);
    }
  }
  if (launch.nproc_per_node.empty()) launch.nproc_per_node = "auto";
  job.decider = Decider::kEveryReplica;
  if (launch.elastic) job.decider = Decider::kAnyReplica;
  if (launch.has_master) job.decider = Decider::kFirstReplica;
  job.launch = std::move(launch);
}

/// The port that the manifest names, for networks where every job can have the same.
int written_port(const api::PyTorchJobSpec& spec, const Job& job) {
  if (spec.elastic_policy && spec.elastic_policy->rdzv_port) return *spec.elastic_policy->rdzv_port;
  for (const Role& role : job.roles) {
    const api::Container* training = training_container(job, role.pod_template.spec);
    if (training == nullptr) continue;
    const auto named = std::ranges::find(training->ports, kPortName, &api::ContainerPort::name);
    if (named != training->ports.end()) return named->container_port;
  }
  return kDefaultPort;
}

void set_children(Job& job) {
  job.pod_name_prefix = job.name + "-";
  job.labels = {.common = {{api::kKubeflowOperatorLabel, kOperatorName}, {api::kKubeflowJobNameLabel, job.name}},
                .type_key = api::kKubeflowReplicaTypeLabel,
                .index_key = api::kKubeflowReplicaIndexLabel,
                .role_key = api::kKubeflowJobRoleLabel};
  job.services = Services::kPerReplica;
  job.port_name = kPortName;
  job.training_containers = {"pytorch"};
}

Result<Job> normalise(const json::Document& object, Where where) {
  TRY_ASSIGN(const json::Document complete, checked(object, kApiVersion, kKindName));
  TRY_ASSIGN(const auto decoded, reflect::decode<api::PyTorchJob>(complete));
  Job job;
  set_identity(object, job);
  set_run_policy(decoded.spec.run_policy, job);
  set_roles(decoded.spec, job);
  set_launch_style(decoded.spec, job);
  job.running_when = RunningWhen::kDeciderRuns;
  job.retryable_exits = RetryableExits::kAbove127;
  set_children(job);
  if (where == Where::kCluster) job.fixed_port = written_port(decoded.spec, job);
  // Kubeflow's reasons are the kind's name and the condition; all its failures are one reason.
  job.events = {.created = "PyTorchJobCreated",
                .running = "PyTorchJobRunning",
                .restarting = "PyTorchJobRestarting",
                .paused = "PyTorchJobSuspended",
                .resumed = "PyTorchJobResumed",
                .scaled = "PyTorchJobScaled",
                .succeeded = "PyTorchJobSucceeded",
                .failed = "PyTorchJobFailed",
                .backoff_exhausted = "PyTorchJobFailed",
                .deadline_exceeded = "PyTorchJobFailed"};
  note_reserved_variables(job);
  return job;
}

// ---- status, from the kind's words ----

const api::Condition* find_condition(const std::vector<api::Condition>& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &api::Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

bool is_true(const std::vector<api::Condition>& conditions, std::string_view type) {
  const auto* condition = find_condition(conditions, type);
  return condition != nullptr && condition->status == "True";
}

api::KubeflowJobStatus decoded_status(const json::Document& object) {
  const json::Document* status = object.find("status");
  if (status == nullptr) return {};
  return reflect::decode<api::KubeflowJobStatus>(*status).value_or(api::KubeflowJobStatus{});
}

Phase phase_of(const std::vector<api::Condition>& conditions) {
  if (is_true(conditions, "Failed")) return Phase::kFailed;
  if (is_true(conditions, "Succeeded")) return Phase::kSucceeded;
  if (is_true(conditions, "Suspended")) return Phase::kPaused;
  if (is_true(conditions, "Restarting") || is_true(conditions, "Running")) return Phase::kRunning;
  if (find_condition(conditions, "Suspended") != nullptr) return Phase::kResuming;
  return find_condition(conditions, "Created") != nullptr ? Phase::kPending : Phase::kNew;
}

JobStatus read_status(const json::Document& object) {
  const api::KubeflowJobStatus from = decoded_status(object);
  JobStatus status;
  status.phase = phase_of(from.conditions);
  if (is_finished(status.phase)) {
    const auto* end = find_condition(from.conditions, status.phase == Phase::kFailed ? "Failed" : "Succeeded");
    status.reason = end->reason;
    status.message = end->message;
  }
  if (is_true(from.conditions, "Restarting")) {
    status.replica_failure = true;
    status.replica_failure_message = find_condition(from.conditions, "Restarting")->message;
  }
  if (const auto* suspended = find_condition(from.conditions, "Suspended"); suspended != nullptr) {
    status.resumed = suspended->status == "False";
    if (suspended->status == "True") status.paused_at = suspended->last_transition_time;
  }
  status.restarts = from.restart_count.value_or(0);
  read_progress(from, status);
  return status;
}

// ---- status, to the kind's words ----

/// Kubeflow's condition list: the last one is the job's state.
class Conditions {
 public:
  Conditions(std::vector<api::Condition>& list, Time now) : list_(list), now_(now), frozen_(is_true(list, "Failed")) {}

  void set(std::string type, bool value, std::string reason, std::string message) {
    if (frozen_) return;
    api::Condition next{.type = std::move(type),
                        .status = value ? "True" : "False",
                        .reason = std::move(reason),
                        .message = std::move(message),
                        .last_update_time = now_,
                        .last_transition_time = now_};
    if (const auto* old = find_condition(list_, next.type); old != nullptr) {
      if (old->status == next.status && old->reason == next.reason) return;
      if (old->status == next.status) next.last_transition_time = old->last_transition_time;
    }
    std::erase_if(list_, [&](const api::Condition& c) { return c.type == next.type || excludes(next.type, c.type); });
    if (value && (next.type == "Failed" || next.type == "Succeeded")) end_running();
    list_.push_back(std::move(next));
  }
  bool has(std::string_view type) const { return find_condition(list_, type) != nullptr; }

 private:
  static bool excludes(std::string_view added, std::string_view other) {
    return (added == "Restarting" && other == "Running") || (added == "Running" && other == "Restarting");
  }
  /// As Kubeflow does, reason and message stay: they tell what has ended.
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

void set_conditions(const JobStatus& status, const std::string& name, Time now, std::vector<api::Condition>& list) {
  const auto says = [&](std::string_view what) { return fmt::format("PyTorchJob {} is {}.", name, what); };
  Conditions conditions(list, now);
  conditions.set("Created", true, "PyTorchJobCreated", says("created"));
  switch (status.phase) {
    case Phase::kNew:
    case Phase::kPending:
      break;
    case Phase::kResuming:
      conditions.set("Suspended", false, "PyTorchJobResumed", says("resumed"));
      break;
    case Phase::kPaused:
      for (const char* type : {"Running", "Restarting"}) {
        if (conditions.has(type)) conditions.set(type, false, "PyTorchJobSuspended", says("suspended"));
      }
      conditions.set("Suspended", true, "PyTorchJobSuspended", says("suspended"));
      return;
    case Phase::kRunning:
      if (conditions.has("Suspended")) conditions.set("Suspended", false, "PyTorchJobResumed", says("resumed"));
      if (!status.replica_failure) conditions.set("Running", true, "PyTorchJobRunning", says("running"));
      break;
    case Phase::kSucceeded:
      conditions.set("Succeeded", true, "PyTorchJobSucceeded", says("successfully completed"));
      return;
    case Phase::kFailed:
      conditions.set("Failed", true, status.reason.empty() ? "PyTorchJobFailed" : status.reason,
                     fmt::format("PyTorchJob {} is failed because {}.", name, status.message));
      return;
  }
  if (status.replica_failure) {
    conditions.set("Restarting", true, "PyTorchJobRestarting",
                   fmt::format("PyTorchJob {} is restarting because {}.", name, status.replica_failure_message));
  }
}

std::map<std::string, api::KubeflowReplicaStatus> counts_of(const JobStatus& status, const std::string& name) {
  std::map<std::string, api::KubeflowReplicaStatus> counts;
  for (const auto& role : status.roles) {
    api::KubeflowReplicaStatus& count = counts[role.type];
    for (const auto& [phase, replicas] : role.counts) {
      if (phase == "Running") count.active = replicas;
      if (phase == "Succeeded") count.succeeded = replicas;
      if (phase == "Failed") count.failed = replicas;
    }
    // Queueing systems wait for zero after they suspend; what still runs is on its way out.
    if (status.phase == Phase::kPaused) count.active = 0;
    if (status.phase == Phase::kSucceeded) count.succeeded += std::exchange(count.active, 0);
    count.selector = fmt::format("{}={},{}={},{}={}", api::kKubeflowJobNameLabel, name, api::kKubeflowOperatorLabel,
                                 kOperatorName, api::kKubeflowReplicaTypeLabel, to_lower(role.type));
  }
  return counts;
}

json::Document project(const JobStatus& status, const json::Document& object, Time now) {
  api::KubeflowJobStatus to = decoded_status(object);
  const std::string& name = object.string_at("metadata", "name");
  // Once the job has ended its counts stand, whatever clean-up does to the pods.
  const bool was_finished = is_finished(phase_of(to.conditions));
  set_conditions(status, name, now, to.conditions);
  if (!was_finished) to.replica_statuses = counts_of(status, name);
  to.restart_count = status.restarts;
  write_progress(status, to);
  return reflect::encode(to);
}

}  // namespace

Kind pytorch_job_kind() {
  return {.api_version = kApiVersion,
          .kind = kKindName,
          .normalise = normalise,
          .read_status = read_status,
          .project = project};
}

}  // namespace muster::control
