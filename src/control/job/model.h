// The one job model under all job kinds. A kind's adapter normalises its document to a Job and its status to a
// JobStatus, `decide` works on these alone, and the adapter projects the new JobStatus back to the kind's own words.
// What differs between kinds is data in Job, never a branch on the kind inside decide.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/kubernetes/core_v1.h"
#include "base/time.h"
#include "json/document.h"

namespace muster::control {

// ---- the job, as wanted ----

enum class RestartPolicy { kNever, kOnFailure, kAlways, kExitCode };

struct Role {
  std::string type;  // as the kind spells it: "worker", "Worker"
  int replicas = 1;
  RestartPolicy restart_policy = RestartPolicy::kOnFailure;
  api::PodTemplateSpec pod_template;
  bool has_index = true;                  // in pod names; a role of one replica may do without
  std::string starts_after = {};          // the role that has to be up, all of it, before these pods are made
  std::optional<int> backoff_limit = {};  // charged restarts of its replicas, beside the job's limit
  int ports = 0;                          // that each replica listens on itself, beside the job's one port
};

/// The template's own command, told by MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE who it is.
struct PlainLaunch {};
/// `torchrun` before the training container's args.
struct TorchrunLaunch {
  std::string nnodes;  // "2", or "1:4" when elastic
  std::string proc_per_node;
  std::string rdzv_backend;
  int max_restarts = 0;
  std::vector<std::string> extra_options;
};
/// The template's own command with Kubeflow's variables: torchrun without options reads PET_*.
struct KubeflowLaunch {
  bool has_master = false;
  std::string nproc_per_node;  // "auto", "gpu", "cpu" or digits; "" sets no PET_NPROC_PER_NODE
  struct Elastic {
    std::string nnodes;  // "1:3"
    std::string rdzv_backend;
    std::string rdzv_host;  // "": the first worker
    std::string rdzv_id;
    std::string rdzv_conf;  // "k=v,k=v"
    std::optional<int> max_restarts;
    bool standalone = false;
  };
  std::optional<Elastic> elastic;
};
using Launch = std::variant<PlainLaunch, TorchrunLaunch, KubeflowLaunch>;

/// One replica of a role, or all of them.
struct Member {
  std::string role;
  std::optional<int> index = {};
};

/// A set of replicas that decides: the rule holds when every one of them is in the state in question, or any.
struct ReplicaRule {
  enum class Takes { kEvery, kAny };
  Takes takes = Takes::kEvery;
  std::vector<Member> members = {};  // none: all replicas of the job
};

/// Which exit codes RestartPolicy::kExitCode starts again.
enum class RetryableExits {
  kListed,    // 130, 137, 138, 143
  kAbove127,  // killed by a signal, or said so
};

/// When the job counts as running.
enum class RunningWhen {
  kAllUp,        // every replica, or as many as an elastic job needs
  kDeciderRuns,  // the replica that decides, or any where all decide
};

enum class CleanUp { kNone, kUnfinished, kAll };

/// When the deadline's clock starts, and what a pause does to it.
enum class DeadlineClock {
  kFromRunning,   // when all replicas run for the first time; paused time does not count
  kFromAccepted,  // when the job is first seen unsuspended, anew after each resume
};

struct RunPolicy {
  std::optional<int> backoff_limit;  // absent: no limit
  std::optional<Duration> active_deadline;
  DeadlineClock deadline_clock = DeadlineClock::kFromRunning;
  // A deadline is about what still runs, so it ends pods even where clean-up keeps them.
  bool deadline_deletes_unfinished = false;
  CleanUp clean_up = CleanUp::kNone;
  std::optional<Duration> ttl_after_finished;
};

/// What a run mode changes in the pods of one role.
struct TemplateOverride {
  bool skip_init_containers = false;
  // Present: replaces command and args of the training container, absent: leaves them.
  std::optional<std::vector<std::string>> command;
  std::optional<std::vector<std::string>> args;
};

struct RunMode {
  bool paused = false;
  bool debug = false;                                 // pods idle for a person to come in; their end is no failure
  std::map<std::string, TemplateOverride> debugging;  // by role type
  std::map<std::string, TemplateOverride> resuming;   // by role type, for pods made after a pause
};

/// Services a job has for its names.
enum class Services {
  kNone,
  kMasterAndSubdomain,  // one named like the first pod, one that makes POD.SUBDOMAIN resolve for every pod
  kPerReplica,          // one named like each pod
};

/// Label keys of the kind; `common` is on every child.
struct ChildLabels {
  api::StringMap common;
  std::string type_key;
  std::string index_key;
  std::string role_key;  // "master" on the first replica only
};

/// Reasons of the Events that mark a transition, in the kind's words.
struct EventReasons {
  std::string created;
  std::string running;
  std::string restarting;
  std::string paused;
  std::string resumed;
  std::string scaled;
  std::string succeeded;
  std::string failed;
  std::string backoff_exhausted;
  std::string deadline_exceeded;
};

/// A warning about the manifest, told once when the job is accepted.
struct Notice {
  std::string reason;
  std::string message;
};

struct Job {
  // Who it is.
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;
  std::string uid;
  std::int64_t generation = 0;
  bool deleting = false;
  bool managed_elsewhere = false;  // another controller's: not touched at all

  // Roles in rank order: rank is the position in the concatenation of their replicas.
  std::vector<Role> roles;
  Launch launch;
  // The job succeeds when one of these rules holds of replicas that have succeeded.
  std::vector<ReplicaRule> succeeds_when;
  // It fails when one of these holds of replicas that have failed for good. Usually any replica: its peers would wait
  // for it in a collective operation for ever.
  std::vector<ReplicaRule> fails_when = {{.takes = ReplicaRule::Takes::kAny}};
  RunningWhen running_when = RunningWhen::kAllUp;
  RetryableExits retryable_exits = RetryableExits::kListed;
  RunPolicy run_policy;
  RunMode run_mode;
  std::optional<int> elastic_min;  // fewer replicas than this cannot train: the size of the gang

  // What its children look like.
  std::string pod_name_prefix;  // a pod is PREFIX + lower-case type, and "-" + index where the role has it
  ChildLabels labels;
  Services services = Services::kNone;
  std::string subdomain;                         // of kMasterAndSubdomain
  std::string port_name;                         // of the container port that is the master port; "": none is declared
  std::optional<int> fixed_port;                 // absent: ports are offered from outside, a range per job
  std::vector<std::string> training_containers;  // names by preference; the first container when none matches
  // Further objects that the pods need, such as a ConfigMap with a list of hosts: kind, metadata.name and content.
  std::vector<json::Document> objects;

  EventReasons events;
  std::vector<Notice> notices;
};

int total_replicas(const Job& job);
/// The rule of a job whose first replica decides.
ReplicaRule first_replica_rule(const Job& job);
/// How many start together with a replica of the role: all that wait for the same, or as few as an elastic job needs.
int gang_size(const Job& job, const Role& role);
/// Ports the job needs on a network that its pods share: the job's own, then those of each replica in rank order.
int port_count(const Job& job);
/// The port the replica listens on when the job's range begins at `first`; the job's own where the role has none. On a
/// network where each pod has its own address all replicas have the same.
int replica_port(const Job& job, const Role& role, int index, int first);
std::string pod_name(const Job& job, const Role& role, int index);
/// "worker-1": names a replica within its job, in status and messages.
std::string replica_key(const Role& role, int index);
/// The container that trains, whose exit code counts.
const api::Container* training_container(const Job& job, const api::PodSpec& spec);

// ---- the job, as it stands ----

enum class Phase { kNew, kPending, kRunning, kPaused, kResuming, kSucceeded, kFailed };
bool is_finished(Phase phase);

struct ContainerEnd {
  std::string name;
  std::string state;  // Waiting, Running, Terminated
  std::optional<int> exit_code;
  bool operator==(const ContainerEnd&) const = default;
};
struct ReplicaStatus {
  std::string pod;
  std::string uid;    // of the pod last seen
  std::string phase;  // the pod's, or Creating, or Deleted
  std::vector<ContainerEnd> containers;
  bool operator==(const ReplicaStatus&) const = default;
};
struct RoleStatus {
  std::string type;
  int restarts = 0;                          // of its replicas, whatever the cause; pauses are none
  int charged = 0;                           // of these, to the role's own backoff_limit
  std::map<std::string, int> counts = {};    // of all its replicas, by phase
  std::vector<ReplicaStatus> replicas = {};  // the first of them, by index
  bool operator==(const RoleStatus&) const = default;
};

struct JobStatus {
  Phase phase = Phase::kNew;
  std::string reason;  // why it is in this phase: of waiting while pending, of the end when finished
  std::string message;
  // A replica has failed, or was lost, and is not back yet.
  bool replica_failure = false;
  std::string replica_failure_message;
  bool resumed = false;  // was paused before: pods follow RunMode::resuming
  std::vector<RoleStatus> roles;
  int restarts = 0;  // charged to backoff_limit
  // By replica_key: attempts that ended and are accounted for, so also the attempt of the next pod. Written before the
  // ended pod is deleted; a pod whose attempt label is below is never counted again.
  std::map<std::string, std::int32_t> attempts;
  std::optional<Time> started;
  std::optional<Time> completed;
  std::optional<Time> next_retry;
  std::optional<Time> paused_at;
  std::optional<int> port;  // the first of its range
  int port_count = 1;
  std::int64_t observed_generation = 0;
  bool operator==(const JobStatus&) const = default;
};

}  // namespace muster::control
