// batch.tensorstack.dev/v1beta1 beyond PyTorch: TensorFlowTrainingJob, XGBoostTrainingJob, MPIJob, GenericJob. Run
// mode, scheduler, replicas and status are those of tensorstack_v1beta1.h.
#pragma once

#include "api/tensorstack/tensorstack_v1beta1.h"

namespace muster::api {

struct TensorFlowTrainingJobSpec {
  std::optional<RunMode> run_mode;
  std::optional<SchedulePolicy> scheduler;
  std::optional<TrainingRunPolicy> run_policy;
  std::vector<TrainingReplicaSpec> replica_specs;  // chief, worker, ps, evaluator
  std::optional<TensorBoardSpec> tensorboard_spec;
};
struct TensorFlowTrainingJob {
  ObjectMeta metadata;
  TensorFlowTrainingJobSpec spec;
  TrainingJobStatus status;
};

struct XGBoostTrainingJobSpec {
  std::optional<RunMode> run_mode;
  std::optional<SchedulePolicy> scheduler;
  std::optional<TrainingRunPolicy> run_policy;
  std::vector<TrainingReplicaSpec> replica_specs;  // master, worker
};
struct XGBoostTrainingJob {
  ObjectMeta metadata;
  XGBoostTrainingJobSpec spec;
  TrainingJobStatus status;
};

struct LauncherRunPolicy {
  bool clean_up_workers = false;
  std::optional<std::int32_t> ttl_seconds_after_finished;  // ours
};
struct SshConfig {
  std::string ssh_auth_mount_path;  // also spelt authMountPath
  std::string sshd_path;
};
struct MpiConfig {
  StringMap mca;
  std::string home;
  std::vector<std::string> extra_args;
  std::vector<std::string> script;
};
struct MpiProcessRecovery {
  bool enable = false;
  std::optional<std::int32_t> limit;
};
/// The older shapes of an MPIJob: the launcher is derived from the workers.
struct MpiWorkerSpec {
  std::optional<std::int32_t> replicas;
  PodTemplateSpec template_;
  std::vector<std::string> cmd;
  std::vector<std::string> extra_mpi_args;
  std::optional<std::int32_t> processes_per_worker;
  std::optional<MpiProcessRecovery> process_recovery;
};
struct TensorStackMpiJobSpec {
  std::optional<RunMode> run_mode;
  std::optional<SchedulePolicy> scheduler;
  std::optional<LauncherRunPolicy> run_policy;
  std::optional<SshConfig> ssh;
  // The newest shape.
  std::optional<MpiConfig> mpi_config;
  std::vector<TrainingReplicaSpec> replica_specs;  // launcher, worker
  // The older ones.
  std::optional<MpiWorkerSpec> worker;
  StringMap mca;
  std::string mpi_home;
};
struct TensorStackMpiJob {
  ObjectMeta metadata;
  TensorStackMpiJobSpec spec;
  TrainingJobStatus status;
};

struct GenericRestartPolicy {
  std::string policy;  // Never, OnFailure, Always
  std::optional<std::int32_t> limit;
};
struct GenericReplicaSpec {
  std::string type;
  std::optional<std::int32_t> replicas;
  std::optional<GenericRestartPolicy> restart_policy;
  PodTemplateSpec template_;
};
/// Role -> indices of its replicas; the rule holds when it holds for all of them.
using GenericRule = std::map<std::string, std::vector<std::int32_t>>;
struct GenericService {
  std::vector<ServicePort> ports;
};
struct GenericJobSpec {
  std::optional<RunMode> run_mode;
  std::optional<SchedulePolicy> scheduler;
  std::vector<GenericRule> success_rules;
  std::vector<GenericRule> failure_rules;
  std::optional<GenericService> service;
  std::string clean_up_policy;                             // None, Unfinished, All; default None
  std::optional<std::int32_t> ttl_seconds_after_finished;  // ours
  std::vector<GenericReplicaSpec> replica_specs;
};
struct GenericJob {
  ObjectMeta metadata;
  GenericJobSpec spec;
  TrainingJobStatus status;
};

}  // namespace muster::api

// Descriptors of these types.
namespace muster::reflect {

TypeDesc describe(Of<api::TensorFlowTrainingJobSpec>);
TypeDesc describe(Of<api::TensorFlowTrainingJob>);
TypeDesc describe(Of<api::XGBoostTrainingJobSpec>);
TypeDesc describe(Of<api::XGBoostTrainingJob>);
TypeDesc describe(Of<api::LauncherRunPolicy>);
TypeDesc describe(Of<api::SshConfig>);
TypeDesc describe(Of<api::MpiConfig>);
TypeDesc describe(Of<api::MpiProcessRecovery>);
TypeDesc describe(Of<api::MpiWorkerSpec>);
TypeDesc describe(Of<api::TensorStackMpiJobSpec>);
TypeDesc describe(Of<api::TensorStackMpiJob>);
TypeDesc describe(Of<api::GenericRestartPolicy>);
TypeDesc describe(Of<api::GenericReplicaSpec>);
TypeDesc describe(Of<api::GenericService>);
TypeDesc describe(Of<api::GenericJobSpec>);
TypeDesc describe(Of<api::GenericJob>);

}  // namespace muster::reflect
