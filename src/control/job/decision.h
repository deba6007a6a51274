// One run of decide, shared by the files that implement it. Nothing outside control/job includes this.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "control/job/decide.h"

namespace muster::control {

/// One (role, index) and the pod that is there for it.
struct Replica {
  const Role* role = nullptr;
  std::size_t role_position = 0;
  int index = 0;
  int rank = 0;
  std::string key;
  std::string pod_name;
  bool decides = false;           // its success can be the job's
  bool leads = false;             // the first that decides
  const api::Pod* pod = nullptr;  // null: there is none
};

struct Decision {
  const Observed& seen;
  JobStatus status;  // becomes the plan's
  std::vector<Replica> replicas;
  std::vector<const api::Pod*> surplus;  // pods we made for replicas that are no longer wanted
  JobPlan plan;

  const Job& job() const { return seen.job; }
};

// ---- view.cc: what is there ----

Decision look(const Observed& seen);
int attempt_of(const api::Pod& pod);
/// A pod that somebody deletes; what it does from then on says nothing about training.
bool is_terminating(const api::Pod& pod);
/// Succeeded or Failed, and not because it was being deleted.
bool ended_by_itself(const api::Pod& pod);
/// Running or Succeeded.
bool is_up(const api::Pod* pod);
bool is_finished_pod(const api::Pod& pod);
/// Attempts of the replica that are accounted for.
int ended_attempts(const Decision& d, const Replica& replica);
/// All replicas of the role are running, or have succeeded.
bool is_role_up(const Decision& d, const std::string& type);
/// The replicas in the state that make the rule hold; none when it does not hold.
std::vector<const Replica*> holders(const Decision& d, const ReplicaRule& rule,
                                    const std::function<bool(const Replica&)>& state);
/// "replica worker-0", "replicas chief-0 and worker-0", "every replica".
std::string named(const Decision& d, const std::vector<const Replica*>& replicas);
/// True when the pod's end was counted before.
bool is_accounted(const Decision& d, const Replica& replica);
/// Exit code of the training container, else of the first container that ended badly; absent when none ended.
std::optional<int> exit_code_of(const Job& job, const api::Pod& pod);
/// "exit code 137 (OOMKilled)", "Evicted: the node was low on memory".
std::string describe_end(const Job& job, const api::Pod& pod);
/// Most replicas of a job that status shows one by one; the others are only counted.
inline constexpr std::size_t kReplicasInStatus = 1000;
/// The state of every role, as status shows it.
std::vector<RoleStatus> role_statuses(const Decision& d);

// ---- launch.cc: what a pod gets to know ----

/// Environment and command of the pod for the replica; `port` is the first of the job's.
void set_launch(const Job& job, const Replica& replica, int port, bool resumed, api::PodSpec& spec);

// ---- pods.cc: children ----

api::Pod pod_for(const Job& job, const Replica& replica, int attempt, int port, bool resumed);
/// Brings pods and services to what is wanted.
void converge_children(Decision& d);
void delete_pod(Decision& d, const api::Pod& pod);
void delete_services(Decision& d);
/// Deletes every pod, and the services that carry their names.
void delete_all_children(Decision& d);

// ---- restart.cc: accounting ----

struct Outcome {
  Phase phase = Phase::kFailed;
  bool replica_failed = false;
  std::string reason;
  std::string message;
};

/// Counts every attempt that ended since the last look. The outcome when one of them ends the job.
std::optional<Outcome> account_for_ended(Decision& d);
/// Notes that the attempt of the pod there is over, without charge: it is deleted by us for another reason.
void retire_attempt(Decision& d, const Replica& replica);

// ---- finish.cc: the end ----

std::optional<Outcome> success(const Decision& d);
std::optional<Outcome> past_deadline(const Decision& d);
/// The only way into a final phase: sets every terminal field, emits the one Event, cleans up.
void finish(Decision& d, const Outcome& outcome);
/// A finished job's clean-up and time to live.
void after_finish(Decision& d);

// ---- small words ----

/// Most actions of one plan. A job of many replicas comes about in slices, and other jobs get their turn in between.
inline constexpr std::size_t kActionsPerPlan = 250;
/// True when the plan has no room for another action. Then the runtime looks again as soon as this one is applied.
bool is_full(Decision& d);

/// Status keeps whole seconds, rounded down.
Time whole_seconds(Time t);
/// When a span that began at a time of the status is over for sure: up to a second late, never early.
Time end_of(Time began, Duration span);
void emit(Decision& d, std::string type, std::string reason, std::string message);
/// Makes the runtime look again at `when`, or earlier.
void recheck_at(Decision& d, Time when);

}  // namespace muster::control
