// The state of one run of decide, shared by the files that implement it. Nothing outside control/job includes this.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "control/job/decide.h"
#include "control/observe.h"

namespace muster::control {

/// One (role, index) and its pod.
struct Replica {
  const Role* role = nullptr;
  std::size_t role_position = 0;
  int index = 0;
  int rank = 0;
  std::string key;
  std::string pod_name;
  bool decides = false;           // its success can be the success of the job
  bool leads = false;             // the first one that decides
  const api::Pod* pod = nullptr;  // null: there is none
};

struct JobDecision {
  const Observed& seen;
  JobStatus status;  // becomes the plan's
  std::vector<Replica> replicas;
  std::vector<const api::Pod*> surplus;  // pods of ours for replicas that are no longer wanted
  JobPlan plan;

  const Job& job() const { return seen.job; }
};

// ---- view.cc: the observed state ----

JobDecision look(const Observed& seen);
int attempt_of(const api::Pod& pod);
/// Returns true for a pod that Succeeded or Failed, unless its deletion caused that.
bool ended_by_itself(const api::Pod& pod);
/// Returns when the program ended by itself or, for a pod that another client deletes, when that was requested.
Time end_of_attempt(const Job& job, const api::Pod& pod);
/// Returns true when the replica's current pod is running, or the replica has succeeded.
bool is_up(const JobDecision& d, const Replica& replica);
/// Returns true when the replica is done, even if its pod was deleted since.
bool has_succeeded(const JobDecision& d, const Replica& replica);
/// Returns how many attempts of the replica are accounted for.
int ended_attempts(const JobDecision& d, const Replica& replica);
/// Returns true when all replicas go back together if one fails. In debug mode users start programs in the pods
/// themselves, so none is known to be part of a process group.
bool is_gang(const JobDecision& d);
/// Returns true when all replicas of the role are running or have succeeded.
bool is_role_up(const JobDecision& d, const std::string& type);
/// Returns the replicas whose state makes the rule hold; none when it does not hold.
std::vector<const Replica*> holders(const JobDecision& d, const ReplicaRule& rule,
                                    const std::function<bool(const Replica&)>& state);
/// Returns "replica worker-0", "replicas chief-0 and worker-0" or "every replica", for example.
std::string named(const JobDecision& d, const std::vector<const Replica*>& replicas);
/// Returns true when the end of the pod has already been counted.
bool is_accounted(const JobDecision& d, const Replica& replica);
/// Returns the exit code of the training container, or of the first container that failed; absent when none ended.
std::optional<int> exit_code_of(const Job& job, const api::Pod& pod);
/// Returns "exit code 1: ValueError: no data", "exit code 139 (SIGSEGV)" or "Evicted: the node was low on memory", for
/// example.
std::string describe_end(const Job& job, const api::Pod& pod);
/// Returns true when the pod failed because, as its own log says, another one went away.
bool has_lost_peer(const Job& job, const api::Pod& pod);
/// The status lists at most this many replicas of a job one by one; the others are only counted.
inline constexpr std::size_t kReplicasInStatus = 1000;
/// Returns the state of every role for the status.
std::vector<RoleStatus> role_statuses(const JobDecision& d);

/// Returns nullopt when the job has no TensorBoard, or it is not made yet.
std::optional<TensorBoardState> tensorboard_state(const JobDecision& d);

// ---- launch.cc: environment and command ----

/// Returns true when the first replica hosts the store through which the others join it. torch sleeps for a second
/// after it has knocked in vain.
bool first_hosts_rendezvous(const Job& job);
/// Sets environment and command of the replica's pod; `port` is the first of the job's ports.
void set_launch(const Job& job, const Replica& replica, int port, bool resumed, api::PodSpec& spec);

// ---- pods.cc: children ----

api::Pod pod_for(const Job& job, const Replica& replica, int attempt, int port, bool resumed);
/// Brings pods and services to the wanted state.
void converge_children(JobDecision& d);
void delete_pod(JobDecision& d, const api::Pod& pod);
void delete_services(JobDecision& d);
/// Deletes all pods and the services for their names.
void delete_all_children(JobDecision& d);

// ---- restart.cc: accounting ----

struct Outcome {
  Phase phase = Phase::kFailed;
  bool replica_failed = false;
  std::string reason;
  std::string message;
};

/// Counts every attempt that ended since the last look: one incident, named after the replica that failed first.
/// Returns the outcome when one of them ends the job.
std::optional<Outcome> account_for_ended(JobDecision& d);
/// Records, without charge, the end of the attempt of the current pod, which we delete for another reason.
void retire_attempt(JobDecision& d, const Replica& replica);
/// Does the same for all replicas; those that have succeeded also run again.
void retire_all(JobDecision& d);

// ---- finish.cc: the end ----

std::optional<Outcome> success(const JobDecision& d);
std::optional<Outcome> past_deadline(const JobDecision& d);
/// The only way into a final phase: sets every terminal field, emits the one Event and cleans up.
void finish(JobDecision& d, const Outcome& outcome);
/// Handles clean-up and time to live of a finished job.
void after_finish(JobDecision& d);

// ---- helpers ----

/// The limit on actions of one plan. A large job is built in slices, and other jobs get their turn in between.
inline constexpr std::size_t kActionsPerPlan = 250;
/// Returns true when the plan has no room for another action. The runtime then looks again once the plan is applied.
bool is_full(JobDecision& d);

/// Rounds down to whole seconds, which is what the status stores.
Time whole_seconds(Time t);
/// Returns when a span that began at a time in the status is surely over: up to a second late, never early.
Time end_of(Time began, Duration span);
void emit(JobDecision& d, std::string type, std::string reason, std::string message);
/// Makes the runtime look again at `when`, or earlier.
void recheck_at(JobDecision& d, Time when);

}  // namespace muster::control
