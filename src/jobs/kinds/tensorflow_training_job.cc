#include "jobs/kinds/tensorflow_training_job.h"

#include "jobs/kinds/tensorstack.h"
#include "reflect/reflect.h"

namespace muster::jobs {

namespace {

constexpr std::string_view kTensorFlowKind = "TensorFlowTrainingJob";
constexpr const char* kTensorFlowPortName = "tf-port";
constexpr int kTensorFlowPort = 2222;  // TensorFlow's convention

/// The addresses in TF_CONFIG are names of pods, on a cluster within the subdomain of the job.
void set_tensorflow_network(Where where, Job& job) {
  set_tensorstack_children(where, job);
  job.port_name = kTensorFlowPortName;
  for (Role& role : job.roles) role.ports = 1;
  TfConfigLaunch launch{.describes_one = true};
  if (where == Where::kCluster) {
    job.services = Services::kSubdomain;
    launch.domain = "." + job.subdomain;
  }
  set_port(where, declared_port(job, kTensorFlowPort), job);
  job.launch = std::move(launch);
}

Result<Job> normalise_tensorflow(const json::Document& object, Where where) {
  TRY_ASSIGN(const json::Document complete, checked(object, kTensorStackVersion, kTensorFlowKind));
  TRY_ASSIGN(const auto decoded, reflect::decode<api::TensorFlowTrainingJob>(complete));
  const api::TensorFlowTrainingJobSpec& spec = decoded.spec;
  Job job;
  set_identity(object, job);
  set_tensorstack_run_policy(spec.run_policy.value_or(api::TrainingRunPolicy{}), job);
  add_tensorstack_roles(spec.replica_specs, job);
  if (spec.run_mode) set_tensorstack_run_mode(*spec.run_mode, job);
  job.succeeds_when = {{.members = {{.role = has_role(job, "chief") ? "chief" : "worker", .index = 0}}}};
  set_failure_rules(object, has_role(job, "ps") ? RestartUnit::kReplica : RestartUnit::kGang, job);
  job.training_containers = {"tensorflow"};
  set_tensorflow_network(where, job);
  set_tensorboard(spec.tensorboard_spec, job);
  job.events = tensorstack_events();
  note_reserved_variables(job);
  note_endless_decider(job);
  return job;
}

}  // namespace

JobKind tensorflow_training_job_kind() {
  return {.api_version = kTensorStackVersion,
          .kind = kTensorFlowKind,
          .family = JobFamily::kTensorStack,
          .normalise = normalise_tensorflow,
          .read_status = read_tensorstack_status,
          .project = project_tensorstack_status,
          .objects = {JobObject::kTensorBoard}};
}

}  // namespace muster::jobs
