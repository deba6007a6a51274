// batch.tensorstack.dev/v1beta1.
#pragma once

#include "api/kubernetes/core_v1.h"
#include "api/tensorstack/scheduler_v1beta1.h"
#include "api/tensorstack/tensorboard_v1beta1.h"

namespace muster::api {

struct DebugReplicaSpec {
  std::string type;
  bool skip_init_container = false;
  std::vector<std::string> command;
};
struct DebugMode {
  bool enabled = false;  // older spelling: enable
  std::vector<DebugReplicaSpec> replica_specs;
};
struct ResumeSpec {
  std::string type;
  bool skip_init_container = false;
  std::vector<std::string> command;
  std::vector<std::string> args;
};
struct PauseMode {
  bool enabled = false;
  std::vector<ResumeSpec> resume_specs;
};
struct RunMode {
  std::optional<DebugMode> debug;
  std::optional<PauseMode> pause;
};

struct TrainingRunPolicy {
  std::optional<std::int64_t> active_deadline_seconds;
  std::optional<std::int32_t> backoff_limit;               // default 3
  std::string clean_up_policy;                             // None, Unfinished, All; default None
  std::optional<std::int32_t> ttl_seconds_after_finished;  // ours
};

struct ElasticConfig {
  bool enabled = false;
  std::optional<std::int32_t> min_replicas;
  std::optional<std::int32_t> max_replicas;
  std::optional<std::int32_t> expected_replicas;
};

struct TorchrunConfig {
  bool enabled = false;  // older spelling: enable
  std::optional<std::int32_t> max_restarts;
  std::string proc_per_node;  // digits, gpu, cpu, auto; integers are accepted
  std::string rdzv_backend;   // c10d, etcd, etcd-v2
  std::vector<std::string> extra_options;
  std::optional<std::int32_t> min_nodes;  // superseded by elastic.minReplicas
};

struct TrainingReplicaSpec {
  std::string type;
  std::optional<std::int32_t> replicas;  // default 1
  std::optional<std::int32_t> scaling_weight;
  std::string restart_policy;  // Never, OnFailure, Always, ExitCode; default OnFailure
  PodTemplateSpec template_;
};

struct PyTorchTrainingJobSpec {
  std::optional<RunMode> run_mode;
  std::optional<SchedulePolicy> scheduler;
  std::optional<TrainingRunPolicy> run_policy;
  std::optional<ElasticConfig> elastic;
  std::optional<TorchrunConfig> torchrun_config;
  std::vector<TrainingReplicaSpec> replica_specs;  // order is rank order; the first replica decides
  std::optional<TensorBoardSpec> tensorboard_spec;
};

struct ReplicaContainerStatus {
  std::string name;
  std::string state;  // Waiting, Running, Terminated
  std::optional<std::int32_t> exit_code;
  bool operator==(const ReplicaContainerStatus&) const = default;
};
struct TaskReplicaStatus {
  std::string name;
  std::string uid;
  std::string phase;  // pod phases, Creating, Deleted
  std::vector<ReplicaContainerStatus> containers;
  bool operator==(const TaskReplicaStatus&) const = default;
};
struct TaskStatus {
  std::string type;
  std::int32_t restart_count = 0;
  std::optional<std::int32_t> charged_count;  // ours; of a role with a limit of its own
  std::vector<TaskReplicaStatus> replicas;
  bool operator==(const TaskStatus&) const = default;
};
struct AggregateStatus {
  std::int32_t creating = 0;
  std::int32_t pending = 0;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t unknown = 0;
  std::int32_t deleted = 0;
  bool operator==(const AggregateStatus&) const = default;
};

/// The state of the TensorBoard that a job asked for.
struct JobTensorBoardStatus {
  std::string action;  // NOP
  std::optional<ObjectReference> dependent;
  std::string note;
  bool ready = false;
  std::string reason;  // DependentReady
  std::string type;    // Normal, Warning
  bool operator==(const JobTensorBoardStatus&) const = default;
};

struct TrainingJobStatus {
  std::string phase;  // Pending, Running, Paused, Resuming, Succeeded, Failed, Unknown
  std::vector<Condition> conditions;
  std::vector<TaskStatus> tasks;
  AggregateStatus aggregate;
  std::int32_t backoff_count = 0;
  // Additions of ours, not in TensorStack:
  std::map<std::string, std::int32_t> attempts;  // "worker-1" -> attempts that ended; absent: none
  std::vector<std::string> incident_replicas;    // "worker-1": started again because of an incident that is not over
  std::vector<std::string> succeeded_replicas;   // "worker-1": done, while the job still runs
  std::optional<Time> start_time;
  std::optional<Time> completion_time;
  std::optional<Time> next_retry_time;  // a replica that failed is not started again before this time
  std::optional<std::int64_t> observed_generation;
  std::optional<std::int32_t> master_port;  // chosen once per job
  std::optional<std::int32_t> port_count;   // from master_port on; absent: one
  std::optional<JobTensorBoardStatus> tensorboard;
};

struct PyTorchTrainingJob {
  ObjectMeta metadata;
  PyTorchTrainingJobSpec spec;
  TrainingJobStatus status;
};

}  // namespace muster::api

// Descriptors of these types.
namespace muster::reflect {

TypeDesc describe(Of<api::DebugReplicaSpec>);
TypeDesc describe(Of<api::DebugMode>);
TypeDesc describe(Of<api::ResumeSpec>);
TypeDesc describe(Of<api::PauseMode>);
TypeDesc describe(Of<api::RunMode>);
TypeDesc describe(Of<api::TrainingRunPolicy>);
TypeDesc describe(Of<api::ElasticConfig>);
TypeDesc describe(Of<api::TorchrunConfig>);
TypeDesc describe(Of<api::TrainingReplicaSpec>);
TypeDesc describe(Of<api::PyTorchTrainingJobSpec>);
TypeDesc describe(Of<api::ReplicaContainerStatus>);
TypeDesc describe(Of<api::TaskReplicaStatus>);
TypeDesc describe(Of<api::TaskStatus>);
TypeDesc describe(Of<api::AggregateStatus>);
TypeDesc describe(Of<api::JobTensorBoardStatus>);
TypeDesc describe(Of<api::TrainingJobStatus>);
TypeDesc describe(Of<api::PyTorchTrainingJob>);

}  // namespace muster::reflect
