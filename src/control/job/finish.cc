#include <fmt/core.h>

#include <algorithm>

#include "control/job/decision.h"

namespace muster::control {

namespace {

/// Returns the start time of a job that ended before it was ever seen running.
Time earliest_start(const JobDecision& d) {
  Time start = whole_seconds(d.seen.now);
  for (const Replica& replica : d.replicas) {
    if (replica.pod != nullptr && replica.pod->status.start_time)
      start = std::min(start, *replica.pod->status.start_time);
  }
  return start;
}

bool is_to_go(const JobDecision& d, const api::Pod& pod) {
  const RunPolicy& policy = d.job().run_policy;
  CleanUp clean_up = policy.clean_up;
  if (clean_up == CleanUp::kNone && policy.deadline_deletes_unfinished &&
      d.status.reason == d.job().events.deadline_exceeded) {
    clean_up = CleanUp::kUnfinished;
  }
  switch (clean_up) {
    case CleanUp::kNone:
      return false;
    case CleanUp::kUnfinished:
      return !is_finished_pod(pod);
    case CleanUp::kAll:
      return true;
  }
  return false;
}

/// Returns when the time of the peers of a replica that has succeeded is over.
Time end_of_grace(const JobDecision& d) {
  constexpr Duration kGraceAfterSuccess = std::chrono::seconds(30);
  return *d.status.completed + kGraceAfterSuccess;
}

/// Returns true while a replica of a job that has succeeded may end by itself, so that its last lines are not cut.
/// Programs that only serve the others would never use that time.
bool may_end_by_itself(const JobDecision& d, const Replica& replica) {
  if (d.status.phase != Phase::kSucceeded || !d.status.completed || replica.role->only_serves) return false;
  if (replica.pod == nullptr || is_terminating(*replica.pod) || is_finished_pod(*replica.pod)) return false;
  // One that has a start time may run already, although its status does not say so yet.
  return replica.pod->status.start_time.has_value() && d.seen.now < end_of_grace(d);
}

/// Returns for how long a pod of the ended job may be active, counted from its start: at least a second, which the API
/// requires. The peers of a replica that has succeeded get time to end by themselves.
std::int64_t seconds_to_live(const JobDecision& d, Time pod_start) {
  if (d.status.phase == Phase::kFailed || !d.status.completed) return 1;
  const Duration span = end_of_grace(d) - pod_start;
  return std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(span).count(), 1);
}

/// An ended job holds no process, device or port, whichever pod objects it keeps. The pod's own deadline ends it on
/// every engine and leaves object and logs.
void end_processes(JobDecision& d, const api::Pod& pod) {
  if (is_finished_pod(pod) || is_terminating(pod)) return;
  if (!pod.status.start_time) return delete_pod(d, pod);  // it would begin to run after the end of the job
  const std::int64_t seconds = seconds_to_live(d, *pod.status.start_time);
  const json::Document* set = pod.spec.rest.find("activeDeadlineSeconds");
  if ((set != nullptr && set->is_int() && set->as_int() <= seconds) || is_full(d)) return;
  d.plan.actions.emplace_back(
      Update{.child = child_ref(pod),
             .resource_version = pod.metadata.resource_version,
             .patch = json::Object{{"spec", json::Object{{"activeDeadlineSeconds", seconds}}}}});
}

void clean_up_pod(JobDecision& d, const api::Pod& pod) {
  if (is_to_go(d, pod)) {
    delete_pod(d, pod);
  } else {
    end_processes(d, pod);
  }
}

void clean_up_replica(JobDecision& d, const Replica& replica) {
  const api::Pod& pod = *replica.pod;
  if (replica.role->is_kept) {
    end_processes(d, pod);
  } else if (is_to_go(d, pod) && may_end_by_itself(d, replica)) {
    recheck_at(d, end_of_grace(d));
  } else {
    clean_up_pod(d, pod);
  }
}

void clean_up(JobDecision& d) {
  for (const Replica& replica : d.replicas) {
    if (replica.pod != nullptr) clean_up_replica(d, replica);
  }
  for (const api::Pod* pod : d.surplus) clean_up_pod(d, *pod);
  // The programs in pods that are kept or still end look up the names of their peers.
  const bool has_pods = std::ranges::any_of(d.replicas, [](const Replica& one) { return one.pod != nullptr; });
  if (!has_pods && d.surplus.empty()) delete_services(d);
}

/// Names the rule of the manifest by which the job has succeeded.
std::string required_by(const ReplicaRule& rule) {
  return rule.path.empty() ? "" : ", as " + rule.path + " requires";
}

}  // namespace

std::optional<Outcome> success(const JobDecision& d) {
  for (const ReplicaRule& rule : d.job().succeeds_when) {
    const auto done = holders(d, rule, [&](const Replica& replica) { return has_succeeded(d, replica); });
    if (done.empty()) continue;
    return Outcome{.phase = Phase::kSucceeded,
                   .replica_failed = false,
                   .reason = d.job().events.succeeded,
                   .message = named(d, done) + " ended with exit code 0" + required_by(rule)};
  }
  return std::nullopt;
}

std::optional<Outcome> past_deadline(const JobDecision& d) {
  const auto& limit = d.job().run_policy.active_deadline;
  if (!limit || !d.status.started || d.seen.now < end_of(*d.status.started, *limit)) return std::nullopt;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*limit).count();
  return Outcome{.phase = Phase::kFailed,
                 .replica_failed = false,
                 .reason = d.job().events.deadline_exceeded,
                 .message = fmt::format("the job was active for longer than activeDeadlineSeconds ({} s)", seconds)};
}

void finish(JobDecision& d, const Outcome& outcome) {
  d.status.phase = outcome.phase;
  d.status.reason = outcome.reason;
  d.status.message = outcome.message;
  d.status.completed = whole_seconds(d.seen.now);
  if (!d.status.started) d.status.started = earliest_start(d);
  d.status.next_retry.reset();
  d.status.lost.clear();
  d.status.incident.clear();
  d.status.succeeded.clear();
  d.status.paused_at.reset();
  const bool failed = outcome.phase == Phase::kFailed && outcome.reason != kStoppedReason;
  d.status.replica_failure = outcome.replica_failed;
  d.status.replica_failure_message = outcome.replica_failed ? outcome.message : "";
  d.plan.reasons.push_back(outcome.message);
  emit(d, failed ? "Warning" : "Normal", outcome.reason, outcome.message);
  after_finish(d);
}

void after_finish(JobDecision& d) {
  const auto& ttl = d.job().run_policy.ttl_after_finished;
  if (ttl && d.status.completed) {
    Time end_of_life = end_of(*d.status.completed, *ttl);
    const bool has_late_peers =
        std::ranges::any_of(d.replicas, [&](const Replica& r) { return may_end_by_itself(d, r); });
    if (has_late_peers) end_of_life = std::max(end_of_life, end_of_grace(d));
    if (d.seen.now >= end_of_life) {
      d.plan.reasons.emplace_back("its time to live after completion is over");
      d.plan.actions.emplace_back(DeletePrimary{});
      return;
    }
    recheck_at(d, end_of_life);
  }
  clean_up(d);
}

}  // namespace muster::control
