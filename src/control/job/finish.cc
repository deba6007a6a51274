#include <fmt/core.h>

#include <algorithm>

#include "control/job/decision.h"

namespace muster::control {

namespace {

bool has_succeeded(const Decision& d, const Replica& replica) {
  return replica.pod != nullptr && replica.pod->status.phase == "Succeeded" && ended_by_itself(*replica.pod) &&
         !is_accounted(d, replica) && replica.role->restart_policy != RestartPolicy::kAlways;
}

/// Returns the start time of a job that ended before it was ever seen running.
Time earliest_start(const Decision& d) {
  Time start = whole_seconds(d.seen.now);
  for (const Replica& replica : d.replicas) {
    if (replica.pod != nullptr && replica.pod->status.start_time)
      start = std::min(start, *replica.pod->status.start_time);
  }
  return start;
}

bool is_to_go(const Decision& d, const api::Pod& pod) {
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

void clean_up(Decision& d) {
  for (const Replica& replica : d.replicas) {
    if (replica.pod == nullptr || replica.role->is_kept) continue;
    if (is_to_go(d, *replica.pod)) delete_pod(d, *replica.pod);
  }
  for (const api::Pod* pod : d.surplus) {
    if (is_to_go(d, *pod)) delete_pod(d, *pod);
  }
  if (d.job().run_policy.clean_up != CleanUp::kNone) delete_services(d);
}

/// Names the rule of the manifest by which the job has succeeded.
std::string required_by(const ReplicaRule& rule) {
  return rule.path.empty() ? "" : ", as " + rule.path + " requires";
}

}  // namespace

std::optional<Outcome> success(const Decision& d) {
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

std::optional<Outcome> past_deadline(const Decision& d) {
  const auto& limit = d.job().run_policy.active_deadline;
  if (!limit || !d.status.started || d.seen.now < end_of(*d.status.started, *limit)) return std::nullopt;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*limit).count();
  return Outcome{.phase = Phase::kFailed,
                 .replica_failed = false,
                 .reason = d.job().events.deadline_exceeded,
                 .message = fmt::format("the job was active for longer than activeDeadlineSeconds ({} s)", seconds)};
}

void finish(Decision& d, const Outcome& outcome) {
  d.status.phase = outcome.phase;
  d.status.reason = outcome.reason;
  d.status.message = outcome.message;
  d.status.completed = whole_seconds(d.seen.now);
  if (!d.status.started) d.status.started = earliest_start(d);
  d.status.next_retry.reset();
  d.status.paused_at.reset();
  const bool failed = outcome.phase == Phase::kFailed;
  d.status.replica_failure = outcome.replica_failed;
  d.status.replica_failure_message = outcome.replica_failed ? outcome.message : "";
  d.plan.reasons.push_back(outcome.message);
  emit(d, failed ? "Warning" : "Normal", outcome.reason, outcome.message);
  after_finish(d);
}

void after_finish(Decision& d) {
  const auto& ttl = d.job().run_policy.ttl_after_finished;
  if (ttl && d.status.completed) {
    const Time end_of_life = end_of(*d.status.completed, *ttl);
    if (d.seen.now >= end_of_life) {
      d.plan.reasons.emplace_back("its time to live after the end is over");
      d.plan.actions.emplace_back(DeletePrimary{});
      return;
    }
    recheck_at(d, end_of_life);
  }
  clean_up(d);
}

}  // namespace muster::control
