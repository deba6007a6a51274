// Decides which ended attempts are restarted, and whether that is charged.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/strings.h"
#include "control/job/decision.h"

namespace muster::control {

namespace {

constexpr Duration kFirstDelay = std::chrono::seconds(1);
constexpr Duration kLongestDelay = std::chrono::seconds(60);

enum class Verdict {
  kLeave,  // it still runs or is complete
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

Verdict judge(const Decision& d, const Replica& replica) {
  const api::Pod& pod = *replica.pod;
  if (!ended_by_itself(pod)) {
    // The pod was deleted by another client. A pod that had already succeeded still counts as done.
    return is_terminating(pod) ? Verdict::kRestartFree : Verdict::kLeave;
  }
  const RestartPolicy policy = replica.role->restart_policy;
  if (pod.status.phase == "Succeeded") {
    return policy == RestartPolicy::kAlways ? Verdict::kRestartFree : Verdict::kLeave;
  }
  if (d.job().run_mode.debug) return Verdict::kRestartFree;
  if (policy == RestartPolicy::kNever) return Verdict::kFailedForGood;
  const auto code = exit_code_of(d.job(), pod);
  // Without an exit status there is no evidence that the program failed.
  if (is_infrastructure_reason(pod.status.reason) || !code) return Verdict::kRestartFree;
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

RoleStatus& role_status(Decision& d, const Role& role) {
  const auto found = std::ranges::find(d.status.roles, role.type, &RoleStatus::type);
  if (found != d.status.roles.end()) return *found;
  return d.status.roles.emplace_back(RoleStatus{.type = role.type});
}

/// Records the end of the pod's attempt: it is now accounted for, and the next pod is the next attempt.
void retire(Decision& d, const Replica& replica) {
  d.status.attempts[replica.key] = attempt_of(*replica.pod) + 1;
}

std::string said_about(const Decision& d, const Replica& replica) {
  return fmt::format("replica {} (pod {}) ended with {}", replica.key, replica.pod_name,
                     describe_end(d.job(), *replica.pod));
}

/// Explains why a failure of this replica fails the job by this rule.
std::string rule_clause(const Decision& d, const Replica& replica, const ReplicaRule& rule) {
  if (!rule.path.empty()) return fmt::format("; {} holds, so the job fails", rule.path);
  if (replica.decides || d.replicas.size() == 1 || rule.takes == ReplicaRule::Takes::kEvery) return {};
  return "; its peers would wait for it for ever, so the job fails";
}

Outcome failed_for_good(const Decision& d, const Replica& replica) {
  const RestartPolicy policy = replica.role->restart_policy;
  const std::string why =
      policy == RestartPolicy::kNever
          ? "its restart policy is Never"
          : fmt::format("its restart policy {} does not start this exit code again", policy_name(policy));
  return {.phase = Phase::kFailed,
          .replica_failed = true,
          .reason = d.job().events.failed,
          .message = said_about(d, replica) + "; " + why};
}

/// Returns the limit that allows no further charged restart of the replica; absent while there is none.
std::optional<int> used_up_limit(Decision& d, const Replica& replica) {
  const auto& of_job = d.job().run_policy.backoff_limit;
  const auto& of_role = replica.role->backoff_limit;
  if (of_role && role_status(d, *replica.role).charged >= *of_role) return of_role;
  if (of_job && d.status.restarts >= *of_job) return of_job;
  return std::nullopt;
}

Outcome budget_exhausted(const Decision& d, const Replica& replica, int limit) {
  const char* name = replica.role->backoff_limit ? "the role's limit" : "backoffLimit";
  const std::string why =
      limit == 0 ? fmt::format("{} 0 allows no restart", name) : fmt::format("{} {} is used up", name, limit);
  return {.phase = Phase::kFailed,
          .replica_failed = true,
          .reason = d.job().events.backoff_exhausted,
          .message = said_about(d, replica) + "; " + why};
}

void restart(Decision& d, const Replica& replica, Verdict verdict) {
  const bool charged = verdict == Verdict::kRestartCharged;
  const bool deleted = !ended_by_itself(*replica.pod);
  retire(d, replica);
  if (charged) d.status.restarts += 1;
  RoleStatus& role = role_status(d, *replica.role);
  role.restarts += 1;
  if (charged && replica.role->backoff_limit) role.charged += 1;

  const Duration delay = delay_after(charged ? d.status.restarts : ended_attempts(d, replica));
  // Rounded up, because the status stores whole seconds and must not shorten the delay.
  const Time retry = std::chrono::ceil<std::chrono::seconds>(d.seen.now + delay);
  d.status.next_retry = std::max(d.status.next_retry.value_or(retry), retry);

  std::string message =
      deleted ? fmt::format("pod {} of replica {} was deleted", replica.pod_name, replica.key) : said_about(d, replica);
  d.status.replica_failure = true;
  d.status.replica_failure_message = message;
  if (!charged) {
    message += "; it is started again without charge";
  } else if (d.job().run_policy.backoff_limit) {
    message += fmt::format("; restart {} of {}", d.status.restarts, *d.job().run_policy.backoff_limit);
  } else {
    message += fmt::format("; restart {}", d.status.restarts);
  }
  message += fmt::format(" in {}", human_duration(delay));
  d.plan.reasons.push_back(message);
  emit(d, "Warning", d.job().events.restarting, std::move(message));
}

/// Returns the rule by which the loss of these replicas fails the job; null while none holds.
const ReplicaRule* broken_rule(const Decision& d, const std::set<const Replica*>& lost) {
  const auto& rules = d.job().fails_when;
  const auto broken = std::ranges::find_if(rules, [&](const ReplicaRule& rule) {
    return !holders(d, rule, [&](const Replica& replica) { return lost.contains(&replica); }).empty();
  });
  return broken == rules.end() ? nullptr : &*broken;
}

}  // namespace

std::optional<Outcome> account_for_ended(Decision& d) {
  const std::size_t actions_before = d.plan.actions.size();
  const std::size_t reasons_before = d.plan.reasons.size();
  const auto ends_the_job = [&](Outcome outcome) {
    // The restarts that were just planned do not happen; their charges remain counted.
    d.plan.actions.erase(d.plan.actions.begin() + static_cast<std::ptrdiff_t>(actions_before), d.plan.actions.end());
    d.plan.reasons.resize(reasons_before);
    return outcome;
  };
  std::set<const Replica*> lost;  // failed for good
  // In rank order, so that the order of observation does not affect which failure exhausts the budget.
  for (const Replica& replica : d.replicas) {
    if (replica.pod == nullptr || is_accounted(d, replica)) continue;
    if (is_full(d)) break;
    const Verdict verdict = judge(d, replica);
    if (verdict == Verdict::kLeave) continue;
    const auto limit = verdict == Verdict::kRestartCharged ? used_up_limit(d, replica) : std::nullopt;
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
    d.status.replica_failure = true;
    d.status.replica_failure_message = outcome.message;
  }
  return std::nullopt;
}

void retire_attempt(Decision& d, const Replica& replica) {
  if (replica.pod != nullptr && !is_accounted(d, replica)) retire(d, replica);
}

}  // namespace muster::control
