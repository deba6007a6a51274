// Descriptors of TFJob and MPIJob of kubeflow.org.
#include <fmt/core.h>

#include <algorithm>

#include "api/kubeflow/kubeflow_rules.h"
#include "api/kubeflow/kubeflow_v1.h"
#include "base/check.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

namespace {

FieldDesc& field_of(TypeDesc& type, std::string_view name) {
  for (FieldDesc& one : type.fields) {
    if (one.name == name) return one;
  }
  CHECK(false);
  return type.fields.front();
}

/// The replicas of a TFJob are not restarted unless it says so.
const TypeDesc& tf_replica() {
  static const TypeDesc desc = [] {
    TypeDesc type = type_of<KubeflowReplicaSpec>();
    type.name = "TFReplicaSpec";
    field_of(type, "restartPolicy").default_value = "Never";
    return type;
  }();
  return desc;
}

/// The two versions of an MPIJob have different defaults, so no default is written into the object.
const TypeDesc& mpi_replica() {
  static const TypeDesc desc = [] {
    TypeDesc type = type_of<KubeflowReplicaSpec>();
    type.name = "MPIReplicaSpec";
    field_of(type, "restartPolicy").default_value.reset();
    field_of(type, "replicas").default_value.reset();
    return type;
  }();
  return desc;
}

/// In v2beta1 the launcher is a Kubernetes Job, which has no other policies.
const TypeDesc& mpi_replica_v2beta1() {
  static const TypeDesc desc = [] {
    TypeDesc type = mpi_replica();
    field_of(type, "restartPolicy").one_of = {"Never", "OnFailure"};
    return type;
  }();
  return desc;
}

const TypeDesc& mpi_run_policy() {
  static const TypeDesc desc = [] {
    TypeDesc type = type_of<KubeflowRunPolicy>();
    type.name = "MPIRunPolicy";
    field_of(type, "cleanPodPolicy").default_value.reset();  // a default would hide spec.cleanPodPolicy
    field_of(type, "managedBy").one_of = {"kubeflow.org/mpi-operator", "kubeflow.org/training-operator",
                                          "kueue.x-k8s.io/multikueue"};
    return type;
  }();
  return desc;
}

const TypeDesc& mpi_run_policy_v2beta1() {
  static const TypeDesc desc = [] {
    TypeDesc type = mpi_run_policy();
    field_of(type, "activeDeadlineSeconds").min = 0;
    return type;
  }();
  return desc;
}

const TypeDesc& mpi_status_v2beta1() {
  static const TypeDesc desc = [] {
    TypeDesc type = type_of<KubeflowJobStatus>();
    field_of(type, "conditions").list_map_key = "type";
    return type;
  }();
  return desc;
}

bool has_a_tf_replica(const json::Document& self) {
  const json::Document* roles = self.find("tfReplicaSpecs");
  if (roles == nullptr || !roles->is_object() || roles->as_object().empty()) return true;
  return std::ranges::any_of(roles->as_object(), [](const auto& role) {
    return role.value.find("replicas") == nullptr || role.value.int_at("replicas") >= 1;
  });
}
bool has_chief_or_master_alone(const json::Document& self) {
  return self.at("tfReplicaSpecs", "Chief") == nullptr || self.at("tfReplicaSpecs", "Master") == nullptr;
}
bool has_launcher(const json::Document& self) {
  return self.at("mpiReplicaSpecs", "Launcher") != nullptr;
}
bool has_one_launcher(const json::Document& self) {
  return self.at("mpiReplicaSpecs", "Launcher", "replicas") == nullptr ||
         self.int_at("mpiReplicaSpecs", "Launcher", "replicas") == 1;
}
bool counts_workers(const json::Document& self) {
  return self.at("mpiReplicaSpecs", "Worker") == nullptr || self.int_at("mpiReplicaSpecs", "Worker", "replicas") >= 1;
}

std::vector<Rule> tf_rules() {
  std::vector<Rule> rules = role_rules("tfReplicaSpecs", {"Chief", "Evaluator", "Master", "PS", "Worker"});
  for (const char* role : {"Chief", "Master"}) {
    rules.push_back(one_replica_rule("tfReplicaSpecs", role, "must be 1, there is one chief"));
  }
  rules.push_back({.cel = "!('Chief' in self.tfReplicaSpecs) || !('Master' in self.tfReplicaSpecs)",
                   .message = "must not have both Chief and Master",
                   .field = "tfReplicaSpecs",
                   .fault = Rule::Fault::kForbidden,
                   .holds = &has_chief_or_master_alone});
  rules.push_back({.cel = "size(self.tfReplicaSpecs) == 0 || "
                          "self.tfReplicaSpecs.exists(role, self.tfReplicaSpecs[role].replicas >= 1)",
                   .message = "must have at least one replica",
                   .field = "tfReplicaSpecs",
                   .holds = &has_a_tf_replica});
  return rules;
}

std::vector<Rule> mpi_rules() {
  return {role_rules("mpiReplicaSpecs", {"Launcher", "Worker"}).back(),
          {.cel = "'Launcher' in self.mpiReplicaSpecs",
           .message = "must have a Launcher",
           .field = "mpiReplicaSpecs",
           .fault = Rule::Fault::kRequired,
           .holds = &has_launcher},
          {.cel = "!('Launcher' in self.mpiReplicaSpecs) || !has(self.mpiReplicaSpecs['Launcher'].replicas) || "
                  "self.mpiReplicaSpecs['Launcher'].replicas == 1",
           .message = "must have one replica of Launcher",
           .field = "mpiReplicaSpecs",
           .holds = &has_one_launcher}};
}

/// v1 has no workers unless it gives their number; v2beta1 requires the number.
Rule counts_workers_rule() {
  return {.cel =
              "!('Worker' in self.mpiReplicaSpecs) || (has(self.mpiReplicaSpecs['Worker'].replicas) && "
              "self.mpiReplicaSpecs['Worker'].replicas >= 1)",
          .message = "must say how many replicas of Worker there are, at least 1; leave Worker out for none",
          .field = "mpiReplicaSpecs",
          .holds = &counts_workers};
}

bool is_not_empty(std::string_view text) {
  return !text.empty();
}

const TypeDesc& mpi_spec_v2beta1() {
  static const TypeDesc desc = [] {
    TypeDesc type = type_of<KubeflowMpiJobSpec>();
    field_of(type, "mpiReplicaSpecs").type = &detail::map_of<KubeflowReplicaSpec, &mpi_replica_v2beta1>;
    field_of(type, "runPolicy").type = &mpi_run_policy_v2beta1;
    field_of(type, "runLauncherAsWorker").default_value = false;
    field_of(type, "mpiImplementation").default_value = "OpenMPI";
    FieldDesc& keys = field_of(type, "sshAuthMountPath");
    keys.default_value = "/root/.ssh";
    keys.pattern = "^.+$";
    keys.matches = &is_not_empty;
    type.rules.push_back(counts_workers_rule());
    return type;
  }();
  return desc;
}

TypeDesc mpi_job(const char* api_version, TypeRef spec, TypeRef status) {
  return root<KubeflowMpiJob>(
             api_version, "MPIJob", "Programs that mpirun starts on several workers, such as Horovod's.",
             field<&KubeflowMpiJob::metadata>("metadata", "Name, labels, owners and history."),
             field<&KubeflowMpiJob::spec>("spec", "What the job runs, and how.").described_as(spec).required(),
             field<&KubeflowMpiJob::status>("status", "What is known about the job; written by the controller.")
                 .described_as(status))
      .name_pattern(kJobNamePattern);
}

}  // namespace

template <>
const TypeDesc& type_of<TFJobSpec>() {
  static const TypeDesc desc =
      object<TFJobSpec>(
          "TFJobSpec", "What a job runs, and how.",
          field<&TFJobSpec::run_policy>("runPolicy", "Deadline, retries, clean-up and suspension.")
              .default_value(json::Object{}),
          field<&TFJobSpec::tf_replica_specs>("tfReplicaSpecs",
                                              "Roles of the job: PS, Worker, Chief or Master, and Evaluator.")
              .described_as(&detail::map_of<KubeflowReplicaSpec, &tf_replica>)
              .required(),
          field<&TFJobSpec::success_policy>("successPolicy",
                                            "AllWorkers: the job has succeeded when all workers have; otherwise when "
                                            "the chief or the first worker has.")
              .one_of({"", "AllWorkers"}),
          field<&TFJobSpec::enable_dynamic_worker>("enableDynamicWorker",
                                                   "Whether the number of workers may change while the job runs."))
          .rules(tf_rules());
  return desc;
}

template <>
const TypeDesc& type_of<TFJob>() {
  static const TypeDesc desc =
      root<TFJob>("kubeflow.org/v1", "TFJob", "A distributed training with TensorFlow.",
                  field<&TFJob::metadata>("metadata", "Name, labels, owners and history."),
                  field<&TFJob::spec>("spec", "What the job runs, and how.").required(),
                  field<&TFJob::status>("status", "What is known about the job; written by the controller."))
          .name_pattern(kJobNamePattern);
  return desc;
}

template <>
const TypeDesc& type_of<KubeflowMpiJobSpec>() {
  static const TypeDesc desc =
      object<KubeflowMpiJobSpec>(
          "MPIJobSpec", "What a job runs, and how: the fields of kubeflow.org/v1 and of v2beta1.",
          field<&KubeflowMpiJobSpec::slots_per_worker>("slotsPerWorker", "Processes per worker.")
              .min(0)
              .default_value(1),
          field<&KubeflowMpiJobSpec::run_policy>("runPolicy", "Deadline, retries, clean-up and suspension.")
              .described_as(&mpi_run_policy)
              .default_value(json::Object{}),
          field<&KubeflowMpiJobSpec::mpi_replica_specs>("mpiReplicaSpecs", "Roles of the job: Launcher and Worker.")
              .described_as(&detail::map_of<KubeflowReplicaSpec, &mpi_replica>)
              .required(),
          field<&KubeflowMpiJobSpec::clean_pod_policy>("cleanPodPolicy",
                                                       "Of v1: as runPolicy.cleanPodPolicy, which wins.")
              .one_of({"None", "Running", "All"}),
          field<&KubeflowMpiJobSpec::main_container>("mainContainer",
                                                     "Of v1: container of a worker in which processes are started."),
          field<&KubeflowMpiJobSpec::run_launcher_as_worker>(
              "runLauncherAsWorker", "Of v2beta1: whether processes run in the launcher as well."),
          field<&KubeflowMpiJobSpec::ssh_auth_mount_path>(
              "sshAuthMountPath", "Of v2beta1: folder of the keys in each pod; /root/.ssh when not set."),
          field<&KubeflowMpiJobSpec::launcher_creation_policy>(
              "launcherCreationPolicy", "Of v2beta1: when the launcher is created; AtStartup when not set.")
              .one_of({"AtStartup", "WaitForWorkersReady"}),
          field<&KubeflowMpiJobSpec::mpi_implementation>("mpiImplementation",
                                                         "Of v2beta1: which MPI the image has; OpenMPI when not set.")
              .one_of({"OpenMPI", "Intel", "MPICH"}))
          .rules(mpi_rules());
  return desc;
}

template <>
const TypeDesc& type_of<KubeflowMpiJob>() {
  static const TypeDesc desc = mpi_job("kubeflow.org/v1", &type_of<KubeflowMpiJobSpec>, &type_of<KubeflowJobStatus>);
  return desc;
}

const TypeDesc& mpi_job_v2beta1_type() {
  static const TypeDesc desc = mpi_job("kubeflow.org/v2beta1", &mpi_spec_v2beta1, &mpi_status_v2beta1);
  return desc;
}

}  // namespace muster::reflect
