// The one job model behind all job kinds. A kind's adapter normalises its document to a Job and its status to a
// JobStatus, `decide` works on these alone, and the adapter projects the new JobStatus back to the kind's own status.
// What differs between kinds is data in Job, never a branch on the kind inside decide.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/kubernetes/core_v1.h"
#include "base/time.h"
#include "json/document.h"

namespace muster::jobs {

// ---- the wanted job ----

enum class RestartPolicy { kNever, kOnFailure, kAlways, kExitCode };

struct Role {
  std::string type;  // as the kind spells it: "worker", "Worker"
  int replicas = 1;
  RestartPolicy restart_policy = RestartPolicy::kOnFailure;
  api::PodTemplateSpec pod_template;
  bool has_index = true;                  // in pod names; a role of one replica may omit it
  bool is_kept = false;                   // its pods are not deleted by the clean-up after the end
  bool only_serves = false;               // its programs wait for the others and never end by themselves
  std::string starts_after = {};          // the role of which all replicas must be up before these pods are created
  std::optional<int> backoff_limit = {};  // charged restarts of its replicas, in addition to the job's limit
  int ports = 0;                          // that each replica listens on, in addition to the job's own port
  int processes = 1;                      // ranks that each replica runs, as far as the manifest says; 0 for a launcher
};

/// The template's own command, which gets its identity from MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE.
struct PlainLaunch {};
/// torchrun, as `python -m torch.distributed.run`, before the training container's args.
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
    std::string rdzv_host;         // "": the first worker
    std::optional<int> rdzv_port;  // of a host outside the job; absent: the job's
    std::string rdzv_id;
    std::string rdzv_conf;  // "k=v,k=v"
    std::optional<int> max_restarts;
    bool standalone = false;
  };
  std::optional<Elastic> elastic;
};
/// The template's own command with TF_CONFIG: the addresses of all replicas, and which of them this one is.
struct TfConfigLaunch {
  bool lists_evaluator = false;      // among the addresses, although evaluators take no part in the training
  bool describes_one = false;        // a job of a single replica also has the variable
  bool has_dynamic_workers = false;  // a worker knows itself and the parameter servers only
  std::string domain = {};           // after the host names: ".default.svc"
  std::string environment = {};      // "cloud"; "" omits the member
};
/// The template's own command, arguments and environment, in which variables such as $(rank) are replaced.
struct GenericLaunch {};
/// The templates are complete as the kind's adapter has made them.
struct CompleteLaunch {};
using Launch = std::variant<PlainLaunch, TorchrunLaunch, KubeflowLaunch, TfConfigLaunch, GenericLaunch, CompleteLaunch>;

/// One replica of a role, or all of them.
struct Member {
  std::string role;
  std::optional<int> index = {};
};

/// A set of replicas that decides. The rule holds when all of them, or any of them, are in the state in question.
struct ReplicaRule {
  enum class Takes { kEvery, kAny };
  Takes takes = Takes::kEvery;
  std::vector<Member> members = {};  // none: all replicas of the job
  std::string path = {};             // where the manifest has it; "": it is the kind's own
};

/// The exit codes that RestartPolicy::kExitCode restarts.
enum class RetryableExits {
  kListed,    // 130, 137, 138, 143
  kAbove127,  // killed by a signal, or exited as if it were
};

/// Defines when the job counts as running.
enum class RunningWhen {
  kAllUp,        // every replica is up, or as many as an elastic job needs
  kDeciderRuns,  // the replica that decides is running, or any if all decide
};

/// Defines what goes back when a replica fails.
enum class RestartUnit {
  kReplica,  // only this replica: its peers wait for it
  kGang,     // all replicas as one attempt: they form one process group, in which the others hang or die
};

enum class CleanUp { kNone, kUnfinished, kAll };

/// Defines when the deadline's clock starts, and how a pause affects it.
enum class DeadlineClock {
  kFromRunning,   // when all replicas run for the first time; paused time does not count
  kFromAccepted,  // when the job is first seen unsuspended; restarts after each resume
};

struct RunPolicy {
  std::optional<int> backoff_limit;  // absent: no limit
  bool has_limit_field = true;       // false: the kind has a limit that no manifest can set
  std::optional<Duration> active_deadline;
  DeadlineClock deadline_clock = DeadlineClock::kFromRunning;
  // A deadline is about pods that still run, so it deletes them even where clean-up keeps pods.
  bool deadline_deletes_unfinished = false;
  CleanUp clean_up = CleanUp::kNone;
  std::optional<Duration> ttl_after_finished;
};

/// What a run mode changes in the pods of one role.
struct TemplateOverride {
  bool skip_init_containers = false;
  // Replaces command and args of the training container; absent: leaves them unchanged.
  std::optional<std::vector<std::string>> command;
  std::optional<std::vector<std::string>> args;
};

struct RunMode {
  bool paused = false;
  bool debug = false;  // pods idle so that a user can enter them; their end is not a failure
  std::map<std::string, TemplateOverride> debugging;  // by role type
  std::map<std::string, TemplateOverride> resuming;   // by role type, for pods created after a pause
};

/// The services that make a job's names resolve.
enum class Services {
  kNone,
  kMasterAndSubdomain,  // one with the name of the first pod, one that makes POD.SUBDOMAIN resolve for every pod
  kSubdomain,           // only the latter
  kPerReplica,          // one with the host name of each pod
};

/// The kind's label keys; `common` is set on every child.
struct ChildLabels {
  api::StringMap common;
  std::string type_key;
  std::string index_key;
  std::string role_key;  // "master" on the first replica only; "": the templates say who has which role
};

/// The kind's reasons for the Events that mark a transition.
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

/// A warning about the manifest, reported once when the job is accepted.
struct Notice {
  std::string reason;
  std::string message;
};

/// How many replicas an elastic job may be scaled to.
struct ElasticRange {
  int least = 1;
  int most = 1;
};

struct Job {
  // Identity.
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;
  std::string uid;
  std::int64_t generation = 0;
  bool deleting = false;
  bool stopped = false;                       // its author has ended it, for good
  bool managed_elsewhere = false;             // another controller is responsible, so we touch nothing
  std::string queue;                          // that it waits in
  std::optional<std::int32_t> priority = {};  // among the jobs of its queue; absent: the queue's own
  std::string group_name;  // of the PodGroup; the runtime changes it where a job of another kind has that name

  // Roles in rank order: rank is the position in the concatenation of their replicas.
  std::vector<Role> roles;
  Launch launch;
  // The job succeeds when one of these rules holds for replicas that have succeeded.
  std::vector<ReplicaRule> succeeds_when;
  // The job fails when one of these rules holds for replicas that have failed for good. Usually that is any replica,
  // because its peers would wait for it forever in a collective operation.
  std::vector<ReplicaRule> fails_when = {{.takes = ReplicaRule::Takes::kAny}};
  // A replica that has failed for good without failing the job is not reported as a failure.
  bool tolerates_lost_replicas = false;
  RestartUnit restart_unit = RestartUnit::kReplica;
  RunningWhen running_when = RunningWhen::kAllUp;
  RetryableExits retryable_exits = RetryableExits::kListed;
  RunPolicy run_policy;
  RunMode run_mode;
  std::optional<ElasticRange> elastic;  // absent: it cannot be scaled
  std::optional<int> elastic_min;       // the size of the gang: training needs at least this many replicas

  // Children.
  std::string pod_name_prefix;  // a pod is PREFIX + lower-case type, and "-" + index where the role has it
  ChildLabels labels;
  Services services = Services::kNone;
  std::string subdomain;                         // of kMasterAndSubdomain and kSubdomain
  std::string host_name_prefix;                  // of host names; "": they are the names of the pods
  bool has_port = true;                          // false: its programs meet without one
  std::string port_name;                         // of the container port that is the master port; "" declares none
  std::optional<int> fixed_port;                 // absent: the runtime offers a range of ports per job
  std::optional<int> own_port;                   // where its range begins in a network of its own
  std::vector<api::ServicePort> shared_ports;    // that all replicas offer under the same numbers
  int spare_ports = 0;                           // into which the job can grow without new pods
  std::vector<std::string> training_containers;  // names by preference; the first container when none matches
  // Further objects for the pods, such as a ConfigMap with a list of hosts: kind, metadata.name and content.
  std::vector<json::Document> objects;

  EventReasons events;
  std::vector<Notice> notices;
};

/// Returns the reference to the job that all its children have.
api::OwnerReference owner_of_children(const Job& job);
int total_replicas(const Job& job);
/// Returns the rule of a job that its first replica decides.
ReplicaRule first_replica_rule(const Job& job);
/// Returns the size of the role's gang: the replicas of all roles with the same starts_after, or the elastic minimum.
int gang_size(const Job& job, const Role& role);
/// Returns how many ports the job needs on a shared network: its own or those that all replicas share, then those of
/// each replica in rank order.
int port_count(const Job& job);
/// Returns how many ports the job is given: those that it needs and its spare ones.
int offered_port_count(const Job& job);
/// Returns the port that the replica listens on when the job's range begins at `first`; the job's own port if the role
/// has none. Where each pod has its own address, all replicas use the same port.
int replica_port(const Job& job, const Role& role, int index, int first);
/// Returns the number of this one of Job::shared_ports: where each pod has its own address, as the manifest has it.
int shared_port(const Job& job, std::size_t position, int first);
std::string pod_name(const Job& job, const Role& role, int index);
/// Returns "NAME-" and five digits of the uid: it survives crashes, and a later job of the same name gets another.
std::string unique_name(const Job& job);
/// Returns the name by which other replicas reach the pod: within its subdomain, or that of its own service.
std::string host_name(const Job& job, const Role& role, int index);
/// Returns "worker-1", which identifies a replica within its job, in status and messages.
std::string replica_key(const Role& role, int index);
/// Returns whether the rule is about this replica.
bool concerns(const ReplicaRule& rule, const Role& role, int index);
/// Returns whether the success of this replica can be the success of the job.
bool decides(const Job& job, const Role& role, int index);
/// Returns whether the job has replicas of this role.
bool has_role(const Job& job, std::string_view type);
/// Returns the container that trains; its exit code decides.
const api::Container* training_container(const Job& job, const api::PodSpec& spec);

// ---- the job's current state ----

/// The reason of a job that a person stopped: Phase has no word for it, because the kinds have none.
inline constexpr const char* kStoppedReason = "Stopped";

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
  std::string uid;    // of the last pod seen
  std::string phase;  // the pod's phase, or Creating, or Deleted
  std::vector<ContainerEnd> containers;
  bool operator==(const ReplicaStatus&) const = default;
};
struct RoleStatus {
  std::string type;
  int restarts = 0;                          // of its replicas, for any cause except a pause
  int charged = 0;                           // those of them that count against the role's own backoff_limit
  std::map<std::string, int> counts = {};    // of all its replicas, by phase
  std::vector<ReplicaStatus> replicas = {};  // the first ones, by index
  bool operator==(const RoleStatus&) const = default;
};

/// The TensorBoard among Job::objects, as it was last seen.
struct TensorBoardState {
  std::string name;
  std::string uid;
  bool ready = false;
  std::string message;  // how it is, in one sentence
  bool operator==(const TensorBoardState&) const = default;
};

struct JobStatus {
  Phase phase = Phase::kNew;
  std::string reason;  // of the phase: why the job is pending, or how it finished
  std::string message;
  // A replica has failed or was lost, and its successor is not up yet.
  bool replica_failure = false;
  std::string replica_failure_message;
  std::string lost;      // how a replica failed for good that is not needed for success; "" while there is none
  std::string stalled;   // what its replicas lack although they run; "" while it is active
  bool resumed = false;  // the job was paused before, so pods follow RunMode::resuming
  std::vector<RoleStatus> roles;
  int restarts = 0;  // counted against backoff_limit
  // By replica_key: how many attempts ended and are accounted for, which is also the attempt of the next pod. Written
  // before the ended pod is deleted; a pod with a lower attempt label is never counted again.
  std::map<std::string, std::int32_t> attempts;
  // By replica_key: those that went back alone because of one incident, until all of them are up. A failure of another
  // replica in the meantime belongs to the same incident and is not charged again.
  std::set<std::string> incident;
  // By replica_key: those that are done, whatever becomes of their pods, until their gang goes back.
  std::set<std::string> succeeded;
  std::optional<Time> started;
  std::optional<Time> completed;
  std::optional<Time> outcome_since;  // when the outcome was written; some operators write no time of completion
  std::optional<Time> next_retry;
  std::optional<Time> paused_at;
  std::optional<int> port;  // the first one of its range
  int port_count = 1;
  std::int64_t observed_generation = 0;
  std::optional<TensorBoardState> tensorboard;
  bool operator==(const JobStatus&) const = default;
};

}  // namespace muster::jobs
