#include "jobs/kinds/pytorch_job.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "jobs/kinds/kubeflow.h"
#include "reflect/reflect.h"

namespace muster::jobs {

namespace {

constexpr std::string_view kApiVersion = "kubeflow.org/v1";
constexpr std::string_view kKindName = "PyTorchJob";
constexpr const char* kPortName = "pytorchjob-port";
constexpr int kDefaultPort = 23456;

KubeflowLaunch::Elastic elastic_of(const api::ElasticPolicy& policy, int workers) {
  const int least = policy.min_replicas.value_or(policy.max_replicas.value_or(workers));
  const int most = policy.max_replicas.value_or(policy.min_replicas.value_or(workers));
  std::vector<std::string> conf;
  for (const auto& entry : policy.rdzv_conf) conf.push_back(entry.key + "=" + entry.value);
  return {.nnodes = fmt::format("{}:{}", least, most),
          .rdzv_backend = policy.rdzv_backend.empty() ? "c10d" : policy.rdzv_backend,
          .rdzv_host = policy.rdzv_host,
          .rdzv_port = {},
          .rdzv_id = policy.rdzv_id,
          .rdzv_conf = join(conf, ","),
          .max_restarts = policy.max_restarts,
          .standalone = policy.standalone.value_or(false)};
}

void set_launch_style(const api::PyTorchJobSpec& spec, Job& job) {
  KubeflowLaunch launch;
  launch.has_master = has_role(job, "Master");
  launch.nproc_per_node = spec.nproc_per_node;
  if (spec.elastic_policy) {
    const auto worker = std::ranges::find(job.roles, "Worker", &Role::type);
    const int workers = worker == job.roles.end() ? 0 : worker->replicas;
    launch.elastic = elastic_of(*spec.elastic_policy, workers);
    job.elastic_min = spec.elastic_policy->min_replicas.value_or(spec.elastic_policy->max_replicas.value_or(workers));
    *job.elastic_min += launch.has_master ? 1 : 0;
    job.elastic = ElasticRange{.least = spec.elastic_policy->min_replicas.value_or(workers),
                               .most = spec.elastic_policy->max_replicas.value_or(workers)};
    if (launch.nproc_per_node.empty() && spec.elastic_policy->n_proc_per_node) {
      launch.nproc_per_node = std::to_string(*spec.elastic_policy->n_proc_per_node);
    }
  }
  if (launch.nproc_per_node.empty()) launch.nproc_per_node = "auto";
  set_processes(launch.nproc_per_node, job);
  ReplicaRule done;  // every worker
  if (launch.elastic) done.takes = ReplicaRule::Takes::kAny;
  if (launch.has_master) done = first_replica_rule(job);
  job.succeeds_when = {done};
  job.launch = std::move(launch);
}

bool is_pod_of(const Job& job, const std::string& host) {
  return std::ranges::any_of(job.roles, [&](const Role& role) {
    for (int i = 0; i < role.replicas; ++i) {
      if (host == pod_name(job, role, i)) return true;
    }
    return false;
  });
}

/// A rendezvous outside the job, such as an etcd, has the port that the manifest gives. One of the job's own pods has
/// the job's port, which on a shared network is not that of the manifest.
void set_rendezvous(const api::ElasticPolicy& policy, Where where, Job& job) {
  const bool is_outside = !policy.rdzv_host.empty() && !is_pod_of(job, policy.rdzv_host);
  if (is_outside) {
    std::get<KubeflowLaunch>(job.launch).elastic->rdzv_port = policy.rdzv_port;
  } else if (policy.rdzv_port && shares_ports(where, job)) {
    note_ignored("spec.elasticPolicy.rdzvPort", "pods share the network of this machine, and each job has its own port",
                 job);
  }
  if (!policy.metrics.is_null()) {
    note_ignored("spec.elasticPolicy.metrics", "there is no autoscaler; scale the job with kubectl scale", job);
  }
}

/// Returns the port from the manifest, for networks where every job can use the same one.
int written_port(const api::PyTorchJobSpec& spec, const Job& job) {
  if (spec.elastic_policy && spec.elastic_policy->rdzv_port) return *spec.elastic_policy->rdzv_port;
  return declared_port(job, kDefaultPort);
}

Result<Job> normalise(const json::Document& object, Where where) {
  TRY_ASSIGN(const json::Document complete, checked(object, kApiVersion, kKindName));
  TRY_ASSIGN(const auto decoded, reflect::decode<api::PyTorchJob>(complete));
  Job job;
  set_identity(object, job);
  set_kubeflow_run_policy(decoded.spec.run_policy, where, job);
  add_kubeflow_roles(decoded.spec.pytorch_replica_specs, {"Master", "Worker"}, job);
  set_launch_style(decoded.spec, job);
  follow_scheduling_policy(decoded.spec.run_policy, job);
  set_failure_rules(object, decoded.spec.elastic_policy ? RestartUnit::kReplica : RestartUnit::kGang, job);
  job.running_when = RunningWhen::kDeciderRuns;
  job.retryable_exits = RetryableExits::kAbove127;
  set_kubeflow_children(kPortName, job);
  job.training_containers = {"pytorch"};
  set_port(where, written_port(decoded.spec, job), job);
  job.events = kubeflow_events(job.kind);
  if (decoded.spec.elastic_policy) set_rendezvous(*decoded.spec.elastic_policy, where, job);
  note_reserved_variables(job);
  return job;
}

}  // namespace

JobKind pytorch_job_kind() {
  return {.api_version = kApiVersion,
          .kind = kKindName,
          .family = JobFamily::kKubeflow,
          .normalise = normalise,
          .read_status = read_kubeflow_status,
          .project = project_kubeflow_status};
}

}  // namespace muster::jobs
