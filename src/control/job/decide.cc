#include "control/job/decide.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "api/muster/names.h"
#include "control/job/decision.h"
#include "control/job/waiting.h"

namespace muster::control {

namespace {

void accept(JobDecision& d) {
  d.status.phase = Phase::kPending;
  if (d.job().run_policy.deadline_clock == DeadlineClock::kFromAccepted && !d.job().run_mode.paused) {
    d.status.started = whole_seconds(d.seen.now);
  }
  const int replicas = total_replicas(d.job());
  emit(d, "Normal", d.job().events.created,
       fmt::format("accepted with {} replica{}", replicas, replicas == 1 ? "" : "s"));
  for (const Notice& notice : d.job().notices) emit(d, "Warning", notice.reason, notice.message);
}

void pause(JobDecision& d) {
  if (d.status.phase != Phase::kPaused) {
    d.status.phase = Phase::kPaused;
    d.status.paused_at = whole_seconds(d.seen.now);
    d.status.reason.clear();
    d.status.message = "pods are removed until the job is resumed";
    d.status.replica_failure = false;
    d.status.replica_failure_message.clear();
    d.status.lost.clear();
    d.status.incident.clear();
    d.status.next_retry.reset();
    emit(d, "Normal", d.job().events.paused, d.status.message);
  }
  d.plan.reasons.emplace_back("the job is paused");
  retire_all(d);
  delete_all_children(d);
}

void resume(JobDecision& d) {
  const Time now = whole_seconds(d.seen.now);
  if (d.job().run_policy.deadline_clock == DeadlineClock::kFromAccepted) {
    d.status.started = now;
  } else if (d.status.started && d.status.paused_at) {
    // The start moves by the length of the pause, so that now - started is the time for which the job was active.
    *d.status.started += now - *d.status.paused_at;
  }
  d.status.paused_at.reset();
  d.status.phase = Phase::kResuming;
  d.status.resumed = true;
  d.status.reason.clear();
  d.status.message.clear();
  emit(d, "Normal", d.job().events.resumed, "pods are created again");
}

/// A job that has outgrown its ports gets new ports and new pods, because each pod knows the ports of all.
void give_up_ports(JobDecision& d) {
  retire_all(d);
  delete_all_children(d);
  d.status.port.reset();
  d.plan.reasons.emplace_back("the job needs more ports; its pods are created again with new ones");
  recheck_at(d, d.seen.now);
}

std::string no_ports_message(int needed) {
  if (needed == 1) return "all ports for jobs on this machine are in use; the job starts when another one ends";
  return fmt::format(
      "the job needs {} consecutive ports, which are not free on this machine; it starts when other jobs end", needed);
}

/// Returns false while the job cannot have pods because no ports are free.
bool choose_ports(JobDecision& d) {
  if (!d.job().has_port) return true;
  const int needed = port_count(d.job());
  if (d.job().fixed_port) {
    d.status.port = d.job().fixed_port;
  } else if (!d.status.port) {
    d.status.port = d.job().own_port ? d.job().own_port : d.seen.offered_port;
    d.status.port_count = offered_port_count(d.job());
  } else if (d.status.port_count < needed) {
    give_up_ports(d);
    return false;
  }
  if (d.status.port) return true;
  d.status.reason = "NoFreePort";
  d.status.message = no_ports_message(needed);
  d.plan.reasons.push_back(d.status.message);
  recheck_at(d, d.seen.now + std::chrono::seconds(5));
  return false;
}

bool runs(const JobDecision& d) {
  const auto up = [&](const Replica& r) { return is_up(d, r); };
  const auto running = [&](const Replica& r) { return up(r) && r.pod != nullptr && r.pod->status.phase == "Running"; };
  if (!std::ranges::any_of(d.replicas, running)) return false;
  switch (d.job().running_when) {
    case RunningWhen::kAllUp: {
      const auto needed = d.job().elastic_min.value_or(total_replicas(d.job()));
      return std::ranges::count_if(d.replicas, up) >= needed;
    }
    case RunningWhen::kDeciderRuns:
      return std::ranges::any_of(d.replicas, [&](const Replica& r) { return r.decides && running(r); });
  }
  return false;
}

/// Returns what the job's missing pods wait for: first those that cannot even be created, then in rank order.
Wait what_replicas_wait_for(const JobDecision& d) {
  const bool is_any_missing =
      std::ranges::any_of(d.plan.actions, [](const Action& one) { return std::holds_alternative<Create>(one); });
  if (is_any_missing && d.seen.refused) return {d.seen.refused->reason, d.seen.refused->message};
  // Until a create succeeds, the last refusal holds: it is known only when it is tried again.
  const JobStatus& before = d.seen.status;
  if (is_any_missing && is_refusal(before.reason)) return {before.reason, before.message};
  for (const Replica& replica : d.replicas) {
    if (replica.pod == nullptr) continue;
    if (Wait wait = wait_of(*replica.pod); !wait.reason.empty()) return wait;
  }
  return {};
}

void explain_waiting(JobDecision& d) {
  const bool is_to_start = d.status.phase == Phase::kPending || d.status.phase == Phase::kResuming;
  if (!is_to_start && d.status.phase != Phase::kRunning) return;
  if (d.status.reason == "NoFreePort" && !d.status.port) return;
  if (is_to_start && d.seen.predecessor_runs) {
    d.status.reason = "PredecessorRuns";
    d.status.message = "replicas of a deleted job of the same name are still ending";
    return;
  }
  const Wait wait = what_replicas_wait_for(d);
  if (wait.is_vague && d.status.reason == wait.reason) return;
  d.status.reason = wait.reason;
  d.status.message = wait.message;
}

void note_progress(JobDecision& d) {
  const bool was_steady = d.seen.status.phase == Phase::kRunning && !d.seen.status.replica_failure;
  const bool all_up = std::ranges::all_of(d.replicas, [&](const Replica& r) { return is_up(d, r); });
  if (d.status.replica_failure && all_up) {
    d.status.replica_failure = false;
    d.status.replica_failure_message.clear();
  }
  const auto is_back = [&](const Replica& r) { return is_up(d, r) || !d.status.incident.contains(r.key); };
  if (std::ranges::all_of(d.replicas, is_back)) d.status.incident.clear();
  if (runs(d)) {
    if (d.status.phase != Phase::kRunning) {
      d.status.phase = Phase::kRunning;
      d.status.reason.clear();
      d.status.message.clear();
    }
    if (!d.status.started) d.status.started = whole_seconds(d.seen.now);
  }
  explain_waiting(d);
  if (d.status.phase == Phase::kRunning && !d.status.replica_failure && !was_steady) {
    emit(d, "Normal", d.job().events.running, all_up ? "all replicas are running" : "the job is running");
  }
}

bool stalls(const api::Pod& pod, std::string& message) {
  const auto found = std::ranges::find(pod.status.conditions, api::kStalledCondition, &api::Condition::type);
  if (found == pod.status.conditions.end() || found->status != "True") return false;
  message = found->message;
  return true;
}

/// Returns what all replicas that run lack; "" while one of them is active: the others may wait for it.
std::string stall_of(const JobDecision& d) {
  std::string message;
  for (const Replica& replica : d.replicas) {
    if (replica.pod == nullptr || replica.pod->status.phase != "Running" || is_terminating(*replica.pod)) continue;
    if (!stalls(*replica.pod, message)) return {};
  }
  return message.empty() ? "" : "all running replicas look idle: " + message;
}

void note_stall(JobDecision& d) {
  const bool was_stalled = !d.status.stalled.empty();
  // In debug mode the pods wait for their user.
  const bool matters = d.status.phase == Phase::kRunning && !d.job().run_mode.debug;
  d.status.stalled = matters ? stall_of(d) : "";
  if (!was_stalled && !d.status.stalled.empty()) emit(d, "Warning", "Stalled", d.status.stalled);
  if (was_stalled && matters && d.status.stalled.empty()) emit(d, "Normal", "Active", "the job is active again");
}

Outcome stopped() {
  return {.phase = Phase::kFailed,
          .replica_failed = false,
          .reason = kStoppedReason,
          .message = "the job was stopped; `muster rerun` creates a new one like it"};
}

void set_deadline_recheck(JobDecision& d) {
  const auto& limit = d.job().run_policy.active_deadline;
  if (limit && d.status.started && !is_finished(d.status.phase) && d.status.phase != Phase::kPaused) {
    recheck_at(d, end_of(*d.status.started, *limit));
  }
}

void remember_succeeded(JobDecision& d) {
  std::set<std::string> succeeded;
  for (const Replica& replica : d.replicas) {
    if (has_succeeded(d, replica)) succeeded.insert(replica.key);
  }
  d.status.succeeded = std::move(succeeded);
}

void run(JobDecision& d) {
  if (d.status.phase == Phase::kPaused) resume(d);
  remember_succeeded(d);
  if (const auto failure = account_for_ended(d)) return finish(d, *failure);
  if (const auto late = past_deadline(d)) return finish(d, *late);
  if (!choose_ports(d)) return;
  converge_children(d);
  note_progress(d);
}

}  // namespace

JobPlan decide(const Observed& observed) {
  // The garbage collector removes the children of a job that is being deleted.
  if (observed.job.deleting || observed.job.managed_elsewhere) return {};

  JobDecision d = look(observed);
  if (is_finished(d.status.phase)) {
    after_finish(d);
  } else {
    if (d.status.phase == Phase::kNew) accept(d);
    if (const auto done = success(d)) {
      finish(d, *done);
    } else if (d.job().stopped) {
      finish(d, stopped());
    } else if (d.job().run_mode.paused) {
      pause(d);
    } else {
      run(d);
    }
  }
  note_stall(d);
  set_deadline_recheck(d);
  d.status.roles = role_statuses(d);
  d.status.tensorboard = tensorboard_state(d);
  d.status.observed_generation = d.job().generation;
  d.plan.status = std::move(d.status);
  return std::move(d.plan);
}

}  // namespace muster::control
