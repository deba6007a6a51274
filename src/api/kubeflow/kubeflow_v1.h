// kubeflow.org/v1: PyTorchJob, TFJob; and MPIJob, which v1 and v2beta1 share.
#pragma once

#include "api/kubernetes/core_v1.h"

namespace muster::api {

struct KubeflowSchedulingPolicy {
  std::optional<std::int32_t> min_available;
  std::string queue;
  ResourceList min_resources;
  std::string priority_class;
  std::optional<std::int32_t> schedule_timeout_seconds;
};

struct KubeflowRunPolicy {
  std::string clean_pod_policy;  // None, Running, All; default None
  std::optional<std::int32_t> ttl_seconds_after_finished;
  std::optional<std::int64_t> active_deadline_seconds;
  std::optional<std::int32_t> backoff_limit;
  std::optional<KubeflowSchedulingPolicy> scheduling_policy;
  bool suspend = false;
  std::string managed_by;
};

struct KubeflowReplicaSpec {
  std::optional<std::int32_t> replicas;  // default 1
  std::string restart_policy;            // Always, OnFailure, Never, ExitCode
  PodTemplateSpec template_;
};

struct RdzvConf {
  std::string key;
  std::string value;
};
struct ElasticPolicy {
  std::optional<std::int32_t> min_replicas;
  std::optional<std::int32_t> max_replicas;
  std::string rdzv_backend;
  std::optional<std::int32_t> rdzv_port;
  std::string rdzv_host;
  std::string rdzv_id;
  std::vector<RdzvConf> rdzv_conf;
  std::optional<bool> standalone;
  std::optional<std::int32_t> n_proc_per_node;
  std::optional<std::int32_t> max_restarts;
  json::Document metrics;
};

struct PyTorchJobSpec {
  KubeflowRunPolicy run_policy;
  std::optional<ElasticPolicy> elastic_policy;
  std::map<std::string, KubeflowReplicaSpec> pytorch_replica_specs;  // Master, Worker
  std::string nproc_per_node;                                        // auto, cpu, gpu, digits
};

struct KubeflowReplicaStatus {
  std::int32_t active = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::string selector;
  bool operator==(const KubeflowReplicaStatus&) const = default;
};
struct KubeflowJobStatus {
  std::vector<Condition> conditions;  // Created, Running, Restarting, Succeeded, Suspended, Failed
  std::map<std::string, KubeflowReplicaStatus> replica_statuses;
  std::optional<Time> start_time;
  std::optional<Time> completion_time;
  std::optional<Time> last_reconcile_time;
  // Additions of ours, not in Kubeflow:
  std::optional<std::int32_t> restart_count;
  std::map<std::string, std::int32_t> attempts;  // "worker-1" -> attempts that ended; absent: none
  std::vector<std::string> incident_replicas;    // "worker-1": started again because of an incident that is not over
  std::vector<std::string> succeeded_replicas;   // "worker-1": done, while the job still runs
  std::optional<Time> next_retry_time;
  std::optional<std::int32_t> master_port;
  std::optional<std::int32_t> port_count;  // from master_port on; absent: one
  std::optional<std::int64_t> observed_generation;
};

struct PyTorchJob {
  ObjectMeta metadata;
  PyTorchJobSpec spec;
  KubeflowJobStatus status;
};

struct TFJobSpec {
  KubeflowRunPolicy run_policy;
  std::map<std::string, KubeflowReplicaSpec> tf_replica_specs;  // PS, Worker, Chief, Master, Evaluator
  std::string success_policy;                                   // "", AllWorkers
  bool enable_dynamic_worker = false;
};
struct TFJob {
  ObjectMeta metadata;
  TFJobSpec spec;
  KubeflowJobStatus status;
};

/// The union of both versions. Nothing is defaulted that would hide which version a manifest was written for.
struct KubeflowMpiJobSpec {
  std::optional<std::int32_t> slots_per_worker;  // default 1
  std::optional<KubeflowRunPolicy> run_policy;
  std::map<std::string, KubeflowReplicaSpec> mpi_replica_specs;  // Launcher, Worker
  // v1
  std::string clean_pod_policy;  // runPolicy.cleanPodPolicy takes precedence
  std::string main_container;
  // v2beta1
  std::optional<bool> run_launcher_as_worker;
  std::string ssh_auth_mount_path;
  std::string launcher_creation_policy;  // AtStartup, WaitForWorkersReady
  std::string mpi_implementation;        // OpenMPI, Intel, MPICH
};
struct KubeflowMpiJob {
  ObjectMeta metadata;
  KubeflowMpiJobSpec spec;
  KubeflowJobStatus status;
};

}  // namespace muster::api

// Descriptors of these types.
namespace muster::reflect {

TypeDesc describe(Of<api::KubeflowSchedulingPolicy>);
TypeDesc describe(Of<api::KubeflowRunPolicy>);
TypeDesc describe(Of<api::KubeflowReplicaSpec>);
TypeDesc describe(Of<api::RdzvConf>);
TypeDesc describe(Of<api::ElasticPolicy>);
TypeDesc describe(Of<api::PyTorchJobSpec>);
TypeDesc describe(Of<api::KubeflowReplicaStatus>);
TypeDesc describe(Of<api::KubeflowJobStatus>);
TypeDesc describe(Of<api::PyTorchJob>);
TypeDesc describe(Of<api::TFJobSpec>);
TypeDesc describe(Of<api::TFJob>);
TypeDesc describe(Of<api::KubeflowMpiJobSpec>);
/// As served in kubeflow.org/v1.
TypeDesc describe(Of<api::KubeflowMpiJob>);
/// As served in kubeflow.org/v2beta1.
const TypeDesc& mpi_job_v2beta1_type();

}  // namespace muster::reflect
