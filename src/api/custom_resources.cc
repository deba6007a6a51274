// The resource table entries of the kinds that are not built into Kubernetes.
#include <fmt/core.h>

#include "api/kubedl/cron_v1alpha1.h"
#include "api/kubeflow/kubeflow_v1.h"
#include "api/muster/names.h"
#include "api/resource_table.h"
#include "api/rules/checks.h"
#include "api/rules/job_warnings.h"
#include "api/tensorstack/scheduler_v1beta1.h"
#include "api/tensorstack/tensorboard_v1beta1.h"
#include "api/tensorstack/tensorstack_jobs_v1beta1.h"
#include "base/strings.h"

namespace muster::api {

namespace {

using reflect::type_of;

PrinterColumn age() {
  return {
      .name = "Age", .type = "date", .json_path = ".metadata.creationTimestamp", .description = "Since its creation."};
}

PrinterColumn phase(std::string description) {
  return {.name = "Phase", .type = "string", .json_path = ".status.phase", .description = std::move(description)};
}

PrinterColumn state() {
  return {.name = "State",
          .type = "string",
          .json_path = ".status.conditions[-1:].type",
          .description = "What happened last."};
}

/// Why a job waits or failed, in the condition that says so.
PrinterColumn told_by(const char* condition, const char* name, const char* field) {
  return {.name = name,
          .type = "string",
          .json_path = fmt::format(".status.conditions[?(@.type==\"{}\")].{}", condition, field),
          .description = "Why the job does not run yet.",
          .priority = 1};
}

Resource custom(std::string group, std::string version, std::string kind, std::string plural,
                const reflect::TypeDesc& type) {
  Resource r;
  r.group = std::move(group);
  r.version = std::move(version);
  r.singular = to_lower(kind);
  r.kind = std::move(kind);
  r.plural = std::move(plural);
  r.verbs = all_verbs();
  r.has_status = true;
  r.generation = Generation::kCounted;
  r.type = &type;
  return r;
}

using Check = void (*)(const json::Document& object, Findings& found);
using Warn = std::vector<std::string> (*)(const json::Document&);

Resource tensorstack_job(std::string kind, std::string plural, std::string short_name, const reflect::TypeDesc& type,
                         Check check, Warn warn) {
  Resource r = custom("batch.tensorstack.dev", "v1beta1", std::move(kind), std::move(plural), type);
  r.short_names = {std::move(short_name)};
  r.categories = {"all"};
  r.pod_label = kOwnerNameLabel;
  r.columns = {
      phase("Phase of the job."),
      age(),
      {.name = "Running",
       .type = "integer",
       .json_path = ".status.aggregate.running",
       .description = "Number of running replicas.",
       .priority = 1},
      {.name = "Restarts",
       .type = "integer",
       .json_path = ".status.backoffCount",
       .description = "Restarts counted against the limit.",
       .priority = 1},
      told_by("Running", "Reason", "reason"),
      told_by("Running", "Message", "message"),
  };
  r.rules = check;
  r.change_rules = &check_tensorstack_job_change;
  r.warn = warn;
  return r;
}

Resource kubeflow_job(std::string version, std::string kind, std::string plural, const reflect::TypeDesc& type,
                      Check check, Warn warn) {
  Resource r = custom("kubeflow.org", std::move(version), std::move(kind), std::move(plural), type);
  r.categories = {"all"};
  r.pod_label = kKubeflowJobNameLabel;
  r.columns = {state(), age(), told_by("Waiting", "Reason", "reason"), told_by("Waiting", "Message", "message")};
  r.rules = check;
  r.change_rules = &check_kubeflow_job_change;
  r.warn = warn;
  return r;
}

Resource pytorch_jobs() {
  Resource r =
      kubeflow_job("v1", "PyTorchJob", "pytorchjobs", type_of<PyTorchJob>(), &check_pytorch_job, &warn_pytorch_job);
  r.other_subresources = {"scale"};
  r.scale = ScalePaths{.spec_replicas = ".spec.pytorchReplicaSpecs.Worker.replicas",
                       .status_replicas = ".status.replicaStatuses.Worker.active",
                       .label_selector = ".status.replicaStatuses.Worker.selector"};
  return r;
}

Resource mpi_jobs(std::string version, const reflect::TypeDesc& type) {
  Resource r =
      kubeflow_job(std::move(version), "MPIJob", "mpijobs", type, &check_kubeflow_mpi_job, &warn_kubeflow_mpi_job);
  r.is_storage = r.version == "v1";
  r.columns = {age()};
  if (r.is_storage) r.columns.push_back(state());
  r.columns.push_back(told_by("Waiting", "Reason", "reason"));
  r.columns.push_back(told_by("Waiting", "Message", "message"));
  return r;
}

Resource tensorboards() {
  Resource r = custom("tensorstack.dev", "v1beta1", "TensorBoard", "tensorboards", type_of<TensorBoard>());
  r.short_names = {"tb"};
  r.categories = {"all"};
  r.columns = {phase("Phase."),
               age(),
               {.name = "URL",
                .type = "string",
                .json_path = ".status.url",
                .description = "Address of its page.",
                .priority = 1}};
  r.rules = &check_tensorboard;
  return r;
}

Resource notebooks() {
  Resource r = custom("tensorstack.dev", "v1beta1", "Notebook", "notebooks", type_of<Notebook>());
  r.short_names = {"nb"};
  r.categories = {"all"};
  r.columns = tensorboards().columns;
  r.rules = &check_notebook;
  r.warn = &warn_notebook;
  return r;
}

Resource queues() {
  Resource r = custom("scheduler.tensorstack.dev", "v1beta1", "Queue", "queues", type_of<Queue>());
  r.scope = Scope::kCluster;
  r.columns = {
      {.name = "Priority", .type = "integer", .json_path = ".spec.priority", .description = "Priority among queues."},
      {.name = "Closed",
       .type = "boolean",
       .json_path = ".spec.closed",
       .description = "Whether it accepts no new pods."},
      {.name = "Pending",
       .type = "integer",
       .json_path = ".status.pending",
       .description = "Number of waiting pod groups."},
      {.name = "Running",
       .type = "integer",
       .json_path = ".status.running",
       .description = "Number of running pod groups."},
      age()};
  return r;
}

Resource pod_groups() {
  Resource r = custom("scheduler.tensorstack.dev", "v1beta1", "PodGroup", "podgroups", type_of<PodGroup>());
  r.short_names = {"pg"};
  r.columns = {
      {.name = "Queue", .type = "string", .json_path = ".spec.queue", .description = "Queue that it waits in."},
      {.name = "MinMember",
       .type = "integer",
       .json_path = ".spec.minMember",
       .description = "Minimum number of pods that must start together."},
      {.name = "Running", .type = "integer", .json_path = ".status.running", .description = "Number of running pods."},
      age()};
  return r;
}

Resource crons() {
  Resource r = custom("apps.kubedl.io", "v1alpha1", "Cron", "crons", type_of<Cron>());
  r.columns = {
      {.name = "Schedule", .type = "string", .json_path = ".spec.schedule", .description = "When jobs are created."},
      {.name = "Suspend",
       .type = "boolean",
       .json_path = ".spec.suspend",
       .description = "Whether no jobs are created."},
      {.name = "Last Schedule",
       .type = "date",
       .json_path = ".status.lastScheduleTime",
       .description = "When a job was last created."},
      age()};
  r.rules = &check_cron;
  r.warn = &warn_cron;
  return r;
}

}  // namespace

std::vector<Resource> custom_resources() {
  return {
      tensorstack_job("PyTorchTrainingJob", "pytorchtrainingjobs", "pj", type_of<PyTorchTrainingJob>(),
                      &check_pytorch_training_job, &warn_pytorch_training_job),
      tensorstack_job("TensorFlowTrainingJob", "tensorflowtrainingjobs", "tj", type_of<TensorFlowTrainingJob>(),
                      &check_tensorflow_training_job, &warn_tensorflow_training_job),
      tensorstack_job("XGBoostTrainingJob", "xgboosttrainingjobs", "xj", type_of<XGBoostTrainingJob>(),
                      &check_xgboost_training_job, &warn_xgboost_training_job),
      tensorstack_job("MPIJob", "mpijobs", "mj", type_of<TensorStackMpiJob>(), &check_tensorstack_mpi_job,
                      &warn_tensorstack_mpi_job),
      tensorstack_job("GenericJob", "genericjobs", "gj", type_of<GenericJob>(), &check_generic_job, &warn_generic_job),
      pytorch_jobs(),
      kubeflow_job("v1", "TFJob", "tfjobs", type_of<TFJob>(), &check_tf_job, &warn_tf_job),
      mpi_jobs("v1", type_of<KubeflowMpiJob>()),
      mpi_jobs("v2beta1", reflect::mpi_job_v2beta1_type()),
      tensorboards(),
      notebooks(),
      queues(),
      pod_groups(),
      crons(),
  };
}

}  // namespace muster::api
