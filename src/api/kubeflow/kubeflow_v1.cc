// Descriptors of kubeflow.org/v1.
#include "api/kubeflow/kubeflow_v1.h"

#include <fmt/core.h>

#include "api/kubeflow/kubeflow_rules.h"
#include "api/limits.h"
#include "api/tensorstack/tensorstack_replicas.h"
#include "base/strings.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

// check_kubeflow_jobs.cc checks the same and reports the wrong values.

std::vector<Rule> role_rules(const std::string& list, const std::vector<std::string>& roles) {
  std::vector<std::string> quoted;
  for (const std::string& role : roles) quoted.push_back("'" + role + "'");
  return {{.cel = fmt::format("size(self.{}) > 0", list),
           .message = "must have a role: " + join(roles, ", "),
           .field = list,
           .fault = Rule::Fault::kRequired},
          {.cel = fmt::format("self.{}.all(role, role in [{}])", list, join(quoted, ", ")),
           .message = "must have no roles but " + join(roles, ", "),
           .field = list}};
}

Rule one_replica_rule(const std::string& list, const std::string& role, std::string message) {
  return {.cel = fmt::format("!('{1}' in self.{0}) || self.{0}['{1}'].replicas == 1", list, role),
          .message = std::move(message),
          .field = fmt::format("{}.{}.replicas", list, role)};
}

namespace {

std::vector<Rule> pytorch_job_rules() {
  std::vector<Rule> rules = role_rules("pytorchReplicaSpecs", {"Master", "Worker"});
  rules.push_back(one_replica_rule("pytorchReplicaSpecs", "Master", "must be 1, there is one master"));
  rules.push_back({.cel = "!('Worker' in self.pytorchReplicaSpecs) || self.pytorchReplicaSpecs['Worker'].replicas >= 1",
                   .message = "must be at least 1; leave Worker out for none",
                   .field = "pytorchReplicaSpecs.Worker.replicas"});
  rules.push_back({.cel = "!has(self.elasticPolicy) || 'Worker' in self.pytorchReplicaSpecs",
                   .message = "must be configured if elastic policy is used",
                   .field = "pytorchReplicaSpecs.Worker",
                   .fault = Rule::Fault::kRequired});
  rules.push_back({.cel = "!has(self.elasticPolicy) || !has(self.elasticPolicy.nProcPerNode) || "
                          "!has(self.nprocPerNode) || self.nprocPerNode == ''",
                   .message = "must not be used with spec.nprocPerNode",
                   .field = "elasticPolicy.nProcPerNode",
                   .fault = Rule::Fault::kForbidden});
  return rules;
}

}  // namespace

template <>
const TypeDesc& type_of<KubeflowSchedulingPolicy>() {
  static const TypeDesc desc = object<KubeflowSchedulingPolicy>(
      "SchedulingPolicy", "How the pods of a job are scheduled together.",
      field<&KubeflowSchedulingPolicy::min_available>("minAvailable",
                                                      "Fewest pods that must start together; all when not set.")
          .min(0),
      field<&KubeflowSchedulingPolicy::queue>("queue", "Queue the job waits in.").immutable_once_set(),
      field<&KubeflowSchedulingPolicy::min_resources>("minResources", "Resources that must be free to start."),
      field<&KubeflowSchedulingPolicy::priority_class>("priorityClass", "Priority class of the job."),
      field<&KubeflowSchedulingPolicy::schedule_timeout_seconds>("scheduleTimeoutSeconds",
                                                                 "Seconds to wait for a place for all pods.")
          .min(0));
  return desc;
}

template <>
const TypeDesc& type_of<KubeflowRunPolicy>() {
  static const TypeDesc desc = object<KubeflowRunPolicy>(
      "RunPolicy", "How long a job may run, how often it is retried and what is left of it.",
      field<&KubeflowRunPolicy::clean_pod_policy>("cleanPodPolicy", "Which pods are deleted when the job ends.")
          .one_of({"None", "Running", "All"})
          .default_value("None"),
      field<&KubeflowRunPolicy::ttl_seconds_after_finished>(
          "ttlSecondsAfterFinished", "Seconds after its end when the job itself is deleted; never when not set.")
          .min(0),
      field<&KubeflowRunPolicy::active_deadline_seconds>("activeDeadlineSeconds",
                                                         "Seconds the job may run before it is ended as failed.")
          .min(1),
      field<&KubeflowRunPolicy::backoff_limit>("backoffLimit",
                                               "How many restarts are allowed before the job fails; no limit when "
                                               "not set.")
          .min(0),
      field<&KubeflowRunPolicy::scheduling_policy>("schedulingPolicy", "How the pods are scheduled together."),
      field<&KubeflowRunPolicy::suspend>("suspend", "While true, the job has no pods.").default_value(false),
      field<&KubeflowRunPolicy::managed_by>("managedBy", "Which controller takes care of the job.")
          .one_of({"kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue"})
          .immutable());
  return desc;
}

template <>
const TypeDesc& type_of<KubeflowReplicaSpec>() {
  static const TypeDesc desc =
      object<KubeflowReplicaSpec>(
          "ReplicaSpec", "One role of a job: how many replicas, and what they run.",
          field<&KubeflowReplicaSpec::replicas>("replicas", "How many replicas the role has.")
              .min(0)
              .max(kMaxReplicas)
              .default_value(1),
          field<&KubeflowReplicaSpec::restart_policy>("restartPolicy", "When a replica that ended is started again.")
              .one_of({"Always", "OnFailure", "Never", "ExitCode"})
              .default_value("OnFailure"),
          field<&KubeflowReplicaSpec::template_>("template", "From which the pods of the role are made."))
          .rules({has_container_rule()});
  return desc;
}

template <>
const TypeDesc& type_of<RdzvConf>() {
  static const TypeDesc desc = object<RdzvConf>("RDZVConf", "One setting of the rendezvous backend.",
                                                field<&RdzvConf::key>("key", "Name of the setting."),
                                                field<&RdzvConf::value>("value", "Value of the setting."));
  return desc;
}

template <>
const TypeDesc& type_of<ElasticPolicy>() {
  static const TypeDesc desc =
      object<ElasticPolicy>(
          "ElasticPolicy", "Launches the workers through torchrun, and lets their number change.",
          field<&ElasticPolicy::min_replicas>("minReplicas", "Fewest workers that can train.").min(1).max(kMaxReplicas),
          field<&ElasticPolicy::max_replicas>("maxReplicas", "Most workers the job may have.").min(1).max(kMaxReplicas),
          field<&ElasticPolicy::rdzv_backend>("rdzvBackend", "How the workers find each other: c10d, etcd or etcd-v2."),
          field<&ElasticPolicy::rdzv_port>("rdzvPort", "Port of the rendezvous.").min(1).max(65535),
          field<&ElasticPolicy::rdzv_host>("rdzvHost", "Host of the rendezvous; the first worker when not set."),
          field<&ElasticPolicy::rdzv_id>("rdzvId", "Name of the rendezvous."),
          field<&ElasticPolicy::rdzv_conf>("rdzvConf", "More settings of the rendezvous backend."),
          field<&ElasticPolicy::standalone>("standalone", "Whether each worker is a rendezvous of its own."),
          field<&ElasticPolicy::n_proc_per_node>("nProcPerNode",
                                                 "Processes per worker; superseded by spec.nprocPerNode.")
              .min(1)
              .deprecated("spec.nprocPerNode"),
          field<&ElasticPolicy::max_restarts>("maxRestarts", "Restarts of the processes inside a worker.").min(0),
          field<&ElasticPolicy::metrics>("metrics", "Metrics by which a cluster's autoscaler chooses the replicas."))
          .rules({{.cel = "!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas",
                   .message = "must be at least minReplicas",
                   .field = "maxReplicas"}});
  return desc;
}

template <>
const TypeDesc& type_of<PyTorchJobSpec>() {
  static const TypeDesc desc =
      object<PyTorchJobSpec>(
          "PyTorchJobSpec", "What a job runs, and how.",
          field<&PyTorchJobSpec::run_policy>("runPolicy", "Deadline, retries, clean-up and suspension.")
              .default_value(json::Object{}),
          field<&PyTorchJobSpec::elastic_policy>("elasticPolicy", "Launches the workers through torchrun."),
          field<&PyTorchJobSpec::pytorch_replica_specs>("pytorchReplicaSpecs", "Roles of the job: Master and Worker.")
              .required(),
          field<&PyTorchJobSpec::nproc_per_node>("nprocPerNode",
                                                 "Processes per replica: auto, cpu, gpu or a number in quotes."))
          .rules(pytorch_job_rules());
  return desc;
}

template <>
const TypeDesc& type_of<KubeflowReplicaStatus>() {
  static const TypeDesc desc =
      object<KubeflowReplicaStatus>(
          "ReplicaStatus", "How many replicas of a role are in which state.",
          field<&KubeflowReplicaStatus::active>("active", "Replicas that wait or run."),
          field<&KubeflowReplicaStatus::succeeded>("succeeded", "Replicas that ended well."),
          field<&KubeflowReplicaStatus::failed>("failed", "Replicas that failed."),
          field<&KubeflowReplicaStatus::selector>("selector", "Label selector of the pods of the role."))
          .partial({"labelSelector"});
  return desc;
}

template <>
const TypeDesc& type_of<KubeflowJobStatus>() {
  static const TypeDesc desc = object<KubeflowJobStatus>(
      "JobStatus", "What is known about a job.",
      field<&KubeflowJobStatus::conditions>("conditions", "What happened to the job; the last entry is its state."),
      field<&KubeflowJobStatus::replica_statuses>("replicaStatuses", "Replicas of each role by state."),
      field<&KubeflowJobStatus::start_time>("startTime", "When the controller took the job on."),
      field<&KubeflowJobStatus::completion_time>("completionTime", "When the job ended."),
      field<&KubeflowJobStatus::last_reconcile_time>("lastReconcileTime",
                                                     "When the controller last looked at the job."),
      field<&KubeflowJobStatus::restart_count>("restartCount", "Restarts counted against runPolicy.backoffLimit."),
      field<&KubeflowJobStatus::attempts>("attempts",
                                          "Attempts that ended, by replica; a replica without an entry had none."),
      field<&KubeflowJobStatus::next_retry_time>("nextRetryTime", "When a replica that failed is started again."),
      field<&KubeflowJobStatus::master_port>("masterPort", "Port of rank 0, chosen once per job."),
      field<&KubeflowJobStatus::port_count>("portCount", "Ports of the job, from masterPort on; one when not set."),
      field<&KubeflowJobStatus::observed_generation>("observedGeneration",
                                                     "Generation of the job that this status is about."));
  return desc;
}

template <>
const TypeDesc& type_of<PyTorchJob>() {
  static const TypeDesc desc =
      root<PyTorchJob>("kubeflow.org/v1", "PyTorchJob", "A distributed training with PyTorch.",
                       field<&PyTorchJob::metadata>("metadata", "Name, labels, owners and history."),
                       field<&PyTorchJob::spec>("spec", "What the job runs, and how.").required(),
                       field<&PyTorchJob::status>("status", "What is known about the job; written by the controller."))
          .name_pattern(kJobNamePattern);
  return desc;
}

}  // namespace muster::reflect
