#include "jobs/kinds/tf_job.h"

#include <algorithm>

#include "jobs/kinds/kubeflow.h"
#include "reflect/reflect.h"

namespace muster::jobs {

namespace {

constexpr std::string_view kTfJobVersion = "kubeflow.org/v1";
constexpr std::string_view kTfJobKind = "TFJob";
constexpr const char* kTfJobPortName = "tfjob-port";
constexpr int kTfJobPort = 2222;

/// Returns the role of the replica that decides alone; "" when there is none.
std::string chief_role(const Job& job) {
  for (const char* type : {"Chief", "Master"}) {
    if (has_role(job, type)) return type;
  }
  return "";
}

/// The chief decides. Without one the first worker does, or all workers if the policy says so.
std::vector<ReplicaRule> success_rules(const api::TFJobSpec& spec, const Job& job) {
  if (const std::string chief = chief_role(job); !chief.empty()) {
    return {{.members = {{.role = chief, .index = 0}}}};
  }
  if (!has_role(job, "Worker")) return {ReplicaRule{}};
  const ReplicaRule every_worker{.members = {{.role = "Worker"}}};
  if (spec.success_policy == "AllWorkers") return {every_worker};
  return {{.members = {{.role = "Worker", .index = 0}}}, every_worker};
}

/// Dynamic workers may go as they come; only the last one is missed.
std::vector<ReplicaRule> failure_rules_of_dynamic_job(const Job& job) {
  std::vector<ReplicaRule> rules;
  for (const Role& role : job.roles) {
    const bool is_worker = role.type == "Worker";
    rules.push_back(
        {.takes = is_worker ? ReplicaRule::Takes::kEvery : ReplicaRule::Takes::kAny, .members = {{.role = role.type}}});
  }
  return rules;
}

/// Workers come last, so that their number does not change the ports of the others.
void set_tf_roles(const api::TFJobSpec& spec, Job& job) {
  add_kubeflow_roles(spec.tf_replica_specs, {"Chief", "Master", "PS", "Evaluator", "Worker"}, job);
  for (Role& role : job.roles) role.ports = 1;
  if (!spec.enable_dynamic_worker || job.roles.empty()) return;
  constexpr int kLeastRoom = 8;
  job.spare_ports = std::max(kLeastRoom, job.roles.back().replicas);
}

void note_success_policy(const api::TFJobSpec& spec, Job& job) {
  const std::string chief = chief_role(job);
  if (spec.success_policy.empty() || chief.empty()) return;
  note_ignored("spec.successPolicy", "the job succeeds with its " + chief, job);
}

Result<Job> normalise_tf_job(const json::Document& object, Where where) {
  TRY_ASSIGN(const json::Document complete, checked(object, kTfJobVersion, kTfJobKind));
  TRY_ASSIGN(const auto decoded, reflect::decode<api::TFJob>(complete));
  const api::TFJobSpec& spec = decoded.spec;
  Job job;
  set_identity(object, job);
  set_kubeflow_run_policy(spec.run_policy, where, job);
  set_tf_roles(spec, job);
  follow_scheduling_policy(spec.run_policy, job);
  job.launch = TfConfigLaunch{.lists_evaluator = true,
                              .has_dynamic_workers = spec.enable_dynamic_worker,
                              .domain = "." + job.ns + ".svc",
                              .environment = "cloud"};
  job.succeeds_when = success_rules(spec, job);
  const bool find_each_other_again = spec.enable_dynamic_worker || has_role(job, "PS");
  set_failure_rules(object, find_each_other_again ? RestartUnit::kReplica : RestartUnit::kGang, job);
  if (spec.enable_dynamic_worker) job.fails_when = failure_rules_of_dynamic_job(job);
  job.tolerates_lost_replicas = spec.enable_dynamic_worker;
  job.running_when = RunningWhen::kDeciderRuns;
  job.retryable_exits = RetryableExits::kAbove127;
  set_kubeflow_children(kTfJobPortName, job);
  job.training_containers = {"tensorflow"};
  set_port(where, declared_port(job, kTfJobPort), job);
  job.events = kubeflow_events(job.kind);
  note_reserved_variables(job);
  note_success_policy(spec, job);
  return job;
}

}  // namespace

JobKind tf_job_kind() {
  return {.api_version = kTfJobVersion,
          .kind = kTfJobKind,
          .family = JobFamily::kKubeflow,
          .normalise = normalise_tf_job,
          .read_status = read_kubeflow_status,
          .project = project_kubeflow_status};
}

}  // namespace muster::jobs
