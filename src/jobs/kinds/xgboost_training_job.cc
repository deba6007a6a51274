#include "jobs/kinds/xgboost_training_job.h"

#include <algorithm>

#include "jobs/kinds/tensorstack.h"
#include "reflect/reflect.h"

namespace muster::jobs {

namespace {

constexpr std::string_view kXgboostKind = "XGBoostTrainingJob";
constexpr const char* kXgboostPortName = "xgboost-port";
constexpr int kXgboostPort = 9991;

Result<Job> normalise_xgboost(const json::Document& object, Where where) {
  TRY_ASSIGN(const json::Document complete, checked(object, kTensorStackVersion, kXgboostKind));
  TRY_ASSIGN(const auto decoded, reflect::decode<api::XGBoostTrainingJob>(complete));
  const api::XGBoostTrainingJobSpec& spec = decoded.spec;
  Job job;
  set_identity(object, job);
  set_tensorstack_run_policy(spec.run_policy.value_or(api::TrainingRunPolicy{}), job);
  add_tensorstack_roles(spec.replica_specs, job);
  // The master is rank 0, wherever the list has it.
  std::stable_partition(job.roles.begin(), job.roles.end(), [](const Role& role) { return role.type == "master"; });
  job.launch = PlainLaunch{};
  if (spec.run_mode) set_tensorstack_run_mode(*spec.run_mode, job);
  job.succeeds_when = {first_replica_rule(job)};
  set_failure_rules(object, RestartUnit::kGang, job);
  job.training_containers = {"xgboost"};
  set_tensorstack_children(where, job);
  job.port_name = kXgboostPortName;
  set_port(where, declared_port(job, kXgboostPort), job);
  job.events = tensorstack_events();
  note_reserved_variables(job);
  note_endless_decider(job);
  return job;
}

}  // namespace

JobKind xgboost_training_job_kind() {
  return {.api_version = kTensorStackVersion,
          .kind = kXgboostKind,
          .family = JobFamily::kTensorStack,
          .normalise = normalise_xgboost,
          .read_status = read_tensorstack_status,
          .project = project_tensorstack_status};
}

}  // namespace muster::jobs
