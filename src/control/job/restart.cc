// Decides what goes back after attempts have ended, and whether that is charged.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "api/muster/names.h"
#include "base/strings.h"
#include "control/job/decision.h"
#include "control/job/waiting.h"

namespace muster::control {

namespace {

constexpr Duration kFirstDelay = std::chrono::seconds(1);
constexpr Duration kLongestDelay = std::chrono::seconds(60);

enum class Verdict {
  kLeave,     // it still runs or is complete
  kRunAgain,  // it succeeded, and its policy is Always
  kRestartCharged,
  kRestartFree,  // the program is not at fault
  kFailedForGood,
};

/// Returns true for failures that the machine caused. Agents report Lost… (LostReboot, LostShim), kubelets the others.
bool is_infrastructure_reason(const std::string& reason) {
  static constexpr std::array kReasons = {"Evicted",
                                          "NodeLost",
                                          "NodeShutdown",
                                          "NodeAffinity",
                                          "Preempting",
                                          "Terminated",
                                          "Shutdown",
                                          "OutOfcpu",
                                          "OutOfmemory",
                                          "OutOfpods",
                                          "UnexpectedAdmissionError"};
  return reason.starts_with("Lost") || std::ranges::find(kReasons, reason) != kReasons.end();
}

bool is_retryable_exit(RetryableExits which, int code) {
  if (which == RetryableExits::kAbove127) return code >= 128;
  return code == 130 || code == 137 || code == 138 || code == 143;
}

std::string_view policy_name(RestartPolicy policy) {
  switch (policy) {
    case RestartPolicy::kNever:
      return "Never";
    case RestartPolicy::kOnFailure:
      return "OnFailure";
    case RestartPolicy::kAlways:
      return "Always";
    case RestartPolicy::kExitCode:
      return "ExitCode";
  }
  return "";
}

Verdict judge(const JobDecision& d, const Replica& replica) {
  if (has_succeeded(d, replica)) return Verdict::kLeave;
  const api::Pod& pod = *replica.pod;
  if (!ended_by_itself(pod)) {
    // The pod was deleted by another client.
    return is_terminating(pod) ? Verdict::kRestartFree : Verdict::kLeave;
  }
  const RestartPolicy policy = replica.role->restart_policy;
  if (pod.status.phase == "Succeeded") return Verdict::kRunAgain;
  if (d.job().run_mode.debug) return Verdict::kRestartFree;
  if (policy == RestartPolicy::kNever) return Verdict::kFailedForGood;
  const auto code = exit_code_of(d.job(), pod);
  // Without an exit status there is no evidence that the program failed.
  if (is_infrastructure_reason(pod.status.reason) || disruption_of(pod) != nullptr || !code) {
    return Verdict::kRestartFree;
  }
  switch (policy) {
    case RestartPolicy::kNever:
      return Verdict::kFailedForGood;
    case RestartPolicy::kExitCode:
      return is_retryable_exit(d.job().retryable_exits, *code) ? Verdict::kRestartCharged : Verdict::kFailedForGood;
    case RestartPolicy::kOnFailure:
    case RestartPolicy::kAlways:
      return Verdict::kRestartCharged;
  }
  return Verdict::kFailedForGood;
}

Duration delay_after(int failures) {
  Duration delay = kFirstDelay;
  for (int i = 1; i < failures && delay < kLongestDelay; ++i) delay *= 2;
  return std::min(delay, kLongestDelay);
}

RoleStatus& role_status(JobDecision& d, const Role& role) {
  const auto found = std::ranges::find(d.status.roles, role.type, &RoleStatus::type);
  if (found != d.status.roles.end()) return *found;
  return d.status.roles.emplace_back(RoleStatus{.type = role.type});
}

/// Records the end of the pod's attempt: it is now accounted for, and the next pod is the next attempt.
void retire(JobDecision& d, const Replica& replica) {
  d.status.attempts[replica.key] = attempt_of(*replica.pod) + 1;
}

/// Records the end of the attempt of all replicas, which have the same number in their next attempt: also of one whose
/// pod is not known here yet, and which would otherwise keep running next to the next attempt.
void end_attempt_of_gang(JobDecision& d) {
  std::int32_t next = 0;
  for (const Replica& replica : d.replicas) {
    const int after_pod = replica.pod == nullptr ? 0 : attempt_of(*replica.pod) + 1;
    next = std::max({next, ended_attempts(d, replica), after_pod});
  }
  if (next == 0) return;
  for (const Replica& replica : d.replicas) d.status.attempts[replica.key] = next;
}

/// Replicas that still run or have succeeded also restart.
void retire_gang(JobDecision& d) {
  for (const Replica& replica : d.replicas) {
    if (replica.pod != nullptr && !is_accounted(d, replica)) role_status(d, *replica.role).restarts += 1;
  }
  end_attempt_of_gang(d);
  d.status.succeeded.clear();
}

std::string said_about_deleted(const Replica& replica) {
  std::string text = fmt::format("pod {} of replica {} was deleted", replica.pod_name, replica.key);
  const auto* why = disruption_of(*replica.pod);
  return why == nullptr ? text : fmt::format("{} ({}: {})", text, why->reason, why->message);
}

std::string said_about(const JobDecision& d, const Replica& replica) {
  return fmt::format("replica {} (pod {}) ended with {}", replica.key, replica.pod_name,
                     describe_end(d.job(), *replica.pod));
}

/// Explains why a failure of this replica fails the job by this rule.
std::string rule_clause(const JobDecision& d, const Replica& replica, const ReplicaRule& rule) {
  if (!rule.path.empty()) return fmt::format("; {} holds, so the job fails", rule.path);
  if (replica.decides || d.replicas.size() == 1 || rule.takes == ReplicaRule::Takes::kEvery) return {};
  return "; its peers would wait forever, so the job fails";
}

Outcome failed_for_good(const JobDecision& d, const Replica& replica) {
  const RestartPolicy policy = replica.role->restart_policy;
  const std::string why = policy == RestartPolicy::kNever
                              ? "the restart policy is Never"
                              : fmt::format("restart policy {} does not retry this exit code", policy_name(policy));
  return {.phase = Phase::kFailed,
          .replica_failed = true,
          .reason = d.job().events.failed,
          .message = said_about(d, replica) + "; " + why};
}

/// Returns the limit that allows no further charged restart of the replica; absent while there is none.
std::optional<int> used_up_limit(JobDecision& d, const Replica& replica) {
  const auto& of_job = d.job().run_policy.backoff_limit;
  const auto& of_role = replica.role->backoff_limit;
  if (of_role && role_status(d, *replica.role).charged >= *of_role) return of_role;
  if (of_job && d.status.restarts >= *of_job) return of_job;
  return std::nullopt;
}

/// Whoever typed `muster run` knows the limit as a flag, and has asked for no restart if there was none.
bool is_of_run(const Replica& replica) {
  return replica.role->pod_template.metadata.annotations.contains(api::kLocalRanksAnnotation);
}

Outcome budget_exhausted(const JobDecision& d, const Replica& replica, int limit) {
  if (is_of_run(replica)) {
    const std::string used_up = limit == 0 ? "" : fmt::format("; --restarts {} is used up", limit);
    return {.phase = Phase::kFailed,
            .replica_failed = true,
            .reason = d.job().events.backoff_exhausted,
            .message = said_about(d, replica) + used_up};
  }
  const char* of_job = d.job().run_policy.has_limit_field ? "backoffLimit" : "the kind's limit of restarts";
  const char* name = replica.role->backoff_limit ? "the role's limit" : of_job;
  const std::string why =
      limit == 0 ? fmt::format("{} 0 allows no restart", name) : fmt::format("{} {} is used up", name, limit);
  return {.phase = Phase::kFailed,
          .replica_failed = true,
          .reason = d.job().events.backoff_exhausted,
          .message = said_about(d, replica) + "; " + why};
}

/// Returns true when others went back because of an incident that is not over, and this replica has not yet.
bool is_same_incident(const JobDecision& d, const Replica& replica) {
  return !d.status.incident.empty() && !d.status.incident.contains(replica.key);
}

/// An incident is charged once: to the job, and to each role with a budget of its own that it has hit.
bool is_charged_already(const JobDecision& d, const Replica& replica) {
  if (!is_same_incident(d, replica) || !replica.role->backoff_limit) return is_same_incident(d, replica);
  return std::ranges::any_of(d.replicas, [&](const Replica& other) {
    return other.role == replica.role && d.status.incident.contains(other.key);
  });
}

bool goes_back_alone(const JobDecision& d, Verdict verdict) {
  return !is_gang(d) || verdict == Verdict::kRunAgain;
}

void send_back(JobDecision& d, const Replica& replica, Verdict verdict) {
  if (!goes_back_alone(d, verdict)) return retire_gang(d);
  const bool is_first = !is_same_incident(d, replica);
  retire(d, replica);
  role_status(d, *replica.role).restarts += 1;
  if (verdict == Verdict::kRunAgain) return;
  if (is_first) d.status.incident.clear();
  d.status.incident.insert(replica.key);
}

std::string who_restarts(const JobDecision& d, Verdict verdict) {
  if (goes_back_alone(d, verdict) || d.replicas.size() == 1) return "it";
  return fmt::format("all {} replicas", d.replicas.size());
}

/// Returns "restart 1 of 3", for example.
std::string count_of_restart(const JobDecision& d, Verdict verdict, bool charged) {
  if (verdict == Verdict::kRestartCharged && !charged) return "same incident, counted once";
  if (!charged) return "not counted";
  if (!d.job().run_policy.backoff_limit) return fmt::format("restart {}", d.status.restarts);
  return fmt::format("restart {} of {}", d.status.restarts, *d.job().run_policy.backoff_limit);
}

void restart(JobDecision& d, const Replica& replica, Verdict verdict) {
  const bool charged = verdict == Verdict::kRestartCharged && !is_charged_already(d, replica);
  const bool deleted = !ended_by_itself(*replica.pod);
  std::string message = deleted ? said_about_deleted(replica) : said_about(d, replica);
  if (verdict != Verdict::kRunAgain) {
    // The incident is named after the replica that failed first.
    if (!is_same_incident(d, replica)) d.status.replica_failure_message = message;
    d.status.replica_failure = true;
  }
  if (charged) {
    d.status.restarts += 1;
    if (replica.role->backoff_limit) role_status(d, *replica.role).charged += 1;
  }
  send_back(d, replica, verdict);

  const Duration delay = delay_after(charged ? d.status.restarts : ended_attempts(d, replica));
  // Rounded up, because the status stores whole seconds and must not shorten the delay.
  const Time retry = std::chrono::ceil<std::chrono::seconds>(d.seen.now + delay);
  d.status.next_retry = std::max(d.status.next_retry.value_or(retry), retry);

  message += fmt::format("; restarting {} in {} ({})", who_restarts(d, verdict), human_duration(delay),
                         count_of_restart(d, verdict, charged));
  d.plan.reasons.push_back(message);
  emit(d, "Warning", d.job().events.restarting, std::move(message));
}

/// A replica whose attempt is over and not accounted for.
struct Ended {
  const Replica* replica;
  Verdict verdict;
  Time when;
  bool has_lost_peer;
};

/// The first that failed comes first, because it brought down the others; in rank order if they failed at the same
/// time. A launcher such as torchrun ends some time after the rank that failed, so those come last whose ranks have
/// only lost a peer.
std::vector<Ended> newly_ended(const JobDecision& d) {
  std::vector<Ended> result;
  for (const Replica& replica : d.replicas) {
    if (replica.pod == nullptr || is_accounted(d, replica)) continue;
    const Verdict verdict = judge(d, replica);
    if (verdict == Verdict::kLeave) continue;
    result.push_back({.replica = &replica,
                      .verdict = verdict,
                      .when = end_of_attempt(d.job(), *replica.pod),
                      .has_lost_peer = has_lost_peer(d.job(), *replica.pod)});
  }
  std::ranges::stable_sort(result, {}, [](const Ended& e) { return std::pair(e.has_lost_peer, e.when); });
  return result;
}

/// Returns true while all that have ended were brought down by one that is also about to end: an incident is named
/// after that one.
bool is_cause_to_come(JobDecision& d, const std::vector<Ended>& ended) {
  constexpr Duration kLongestWait = std::chrono::seconds(2);
  if (ended.empty() || !std::ranges::all_of(ended, &Ended::has_lost_peer)) return false;
  const auto runs = [&](const Replica& r) {
    return r.pod != nullptr && !is_finished_pod(*r.pod) && !is_terminating(*r.pod) && !is_accounted(d, r);
  };
  const Time until = std::ranges::min(ended, {}, &Ended::when).when + kLongestWait;
  const Duration left = until - d.seen.now;
  // More than all of it is left only when clocks differ.
  if (left <= Duration(0) || left > kLongestWait || std::ranges::none_of(d.replicas, runs)) return false;
  recheck_at(d, until);
  return true;
}

/// Returns the rule by which the loss of these replicas fails the job; null while none holds.
const ReplicaRule* broken_rule(const JobDecision& d, const std::set<const Replica*>& lost) {
  const auto& rules = d.job().fails_when;
  const auto broken = std::ranges::find_if(rules, [&](const ReplicaRule& rule) {
    return !holders(d, rule, [&](const Replica& replica) { return lost.contains(&replica); }).empty();
  });
  return broken == rules.end() ? nullptr : &*broken;
}

}  // namespace

std::optional<Outcome> account_for_ended(JobDecision& d) {
  const std::size_t actions_before = d.plan.actions.size();
  const std::size_t reasons_before = d.plan.reasons.size();
  const auto ends_the_job = [&](Outcome outcome) {
    // The restarts that were just planned do not happen; their charges remain counted.
    d.plan.actions.erase(d.plan.actions.begin() + static_cast<std::ptrdiff_t>(actions_before), d.plan.actions.end());
    d.plan.reasons.resize(reasons_before);
    return outcome;
  };
  std::set<const Replica*> lost;  // failed for good
  d.status.lost.clear();
  const std::vector<Ended> all_ended = newly_ended(d);
  if (is_cause_to_come(d, all_ended)) return std::nullopt;
  for (const Ended& ended : all_ended) {
    const Replica& replica = *ended.replica;
    const Verdict verdict = ended.verdict;
    if (is_accounted(d, replica)) continue;  // its gang goes back because of an earlier failure
    if (is_full(d)) break;
    const bool charged = verdict == Verdict::kRestartCharged && !is_charged_already(d, replica);
    const auto limit = charged ? used_up_limit(d, replica) : std::nullopt;
    if (verdict != Verdict::kFailedForGood && !limit) {
      restart(d, replica, verdict);
      continue;
    }
    lost.insert(&replica);
    Outcome outcome = limit ? budget_exhausted(d, replica, *limit) : failed_for_good(d, replica);
    if (const ReplicaRule* rule = broken_rule(d, lost)) {
      outcome.message += rule_clause(d, replica, *rule);
      return ends_the_job(std::move(outcome));
    }
    if (d.job().tolerates_lost_replicas) continue;
    if (d.status.lost.empty()) d.status.lost = outcome.message;
  }
  if (!d.status.lost.empty() && d.seen.status.lost.empty()) emit(d, "Warning", "ReplicaFailed", d.status.lost);
  return std::nullopt;
}

void retire_attempt(JobDecision& d, const Replica& replica) {
  if (replica.pod != nullptr && !is_accounted(d, replica)) retire(d, replica);
}

void retire_all(JobDecision& d) {
  if (is_gang(d)) {
    end_attempt_of_gang(d);
  } else {
    for (const Replica& replica : d.replicas) retire_attempt(d, replica);
  }
  d.status.succeeded.clear();
}

}  // namespace muster::control
