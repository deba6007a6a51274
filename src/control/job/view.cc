#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "api/muster/names.h"
#include "api/owners.h"
#include "base/clamped_seconds.h"
#include "base/strings.h"
#include "control/job/cause.h"
#include "control/job/decision.h"

namespace muster::control {

namespace {

std::vector<Replica> wanted_replicas(const Job& job) {
  std::vector<Replica> replicas;
  int rank = 0;
  for (std::size_t r = 0; r < job.roles.size(); ++r) {
    const Role& role = job.roles[r];
    for (int i = 0; i < role.replicas; ++i) {
      replicas.push_back(Replica{.role = &role,
                                 .role_position = r,
                                 .index = i,
                                 .rank = rank++,
                                 .key = replica_key(role, i),
                                 .pod_name = pod_name(job, role, i)});
      replicas.back().decides = decides(job, role, i);
    }
  }
  const auto leader = std::ranges::find(replicas, true, &Replica::decides);
  if (leader != replicas.end()) leader->leads = true;
  return replicas;
}

const api::ContainerStateTerminated* terminated_state(const api::Pod& pod, const std::string& container) {
  const auto found = std::ranges::find(pod.status.container_statuses, container, &api::ContainerStatus::name);
  if (found == pod.status.container_statuses.end() || !found->state.terminated) return nullptr;
  return &*found->state.terminated;
}

const api::ContainerStateTerminated* first_bad_end(const std::vector<api::ContainerStatus>& statuses) {
  for (const auto& status : statuses) {
    if (status.state.terminated && status.state.terminated->exit_code != 0) return &*status.state.terminated;
  }
  return nullptr;
}

/// Returns the end of the training container if it failed, else of another container that failed, else its success.
const api::ContainerStateTerminated* decisive_end(const Job& job, const api::Pod& pod) {
  const api::Container* training = training_container(job, pod.spec);
  const auto* end = training == nullptr ? nullptr : terminated_state(pod, training->name);
  if (end != nullptr && end->exit_code != 0) return end;
  if (const auto* bad = first_bad_end(pod.status.container_statuses); bad != nullptr) return bad;
  if (const auto* bad = first_bad_end(pod.status.init_container_statuses); bad != nullptr) return bad;
  return end;
}

/// Returns the name of the signal that ended a program; "" if it exited by itself or the signal is not one of errors.
/// An exit code beyond 128 is what shells, and the kubelet, make of a signal.
std::string_view signal_behind(const api::ContainerStateTerminated& end) {
  switch (end.signal.value_or(end.exit_code - 128)) {
    case 4:
      return "SIGILL";
    case 6:
      return "SIGABRT";
    case 7:
      return "SIGBUS";
    case 8:
      return "SIGFPE";
    case 9:
      return "SIGKILL";
    case 11:
      return "SIGSEGV";
    case 15:
      return "SIGTERM";
    default:
      return {};
  }
}

/// Returns the time at which the last container of the pod ended.
std::optional<Time> end_time(const api::Pod& pod) {
  std::optional<Time> last;
  for (const auto& status : pod.status.container_statuses) {
    if (!status.state.terminated || !status.state.terminated->finished_at) continue;
    last = std::max(last.value_or(Time::min()), *status.state.terminated->finished_at);
  }
  return last;
}

/// Returns when the pod's deletion was requested: deletionTimestamp is the end of the grace period.
std::optional<Time> deletion_request(const api::Pod& pod) {
  if (!is_terminating(pod)) return std::nullopt;
  return *pod.metadata.deletion_timestamp - clamped_seconds(pod.metadata.deletion_grace_period_seconds.value_or(0));
}

std::vector<ContainerEnd> container_ends(const api::Pod& pod) {
  std::vector<ContainerEnd> ends;
  for (const auto& status : pod.status.container_statuses) {
    ContainerEnd end{.name = status.name, .state = "Waiting", .exit_code = std::nullopt};
    if (status.state.running) end.state = "Running";
    if (status.state.terminated) {
      end.state = "Terminated";
      end.exit_code = status.state.terminated->exit_code;
    }
    ends.push_back(std::move(end));
  }
  return ends;
}

/// Returns the replica's state in the last status; null when it is not listed there.
const ReplicaStatus* previous_state(const JobDecision& d, const Replica& replica) {
  const auto& roles = d.seen.status.roles;
  const auto role = std::ranges::find(roles, replica.role->type, &RoleStatus::type);
  const auto index = static_cast<std::size_t>(replica.index);
  if (role == roles.end() || index >= role->replicas.size()) return nullptr;
  return role->replicas[index].pod == replica.pod_name ? &role->replicas[index] : nullptr;
}

/// Returns true for a pod that we ended because the job had succeeded without it: that is not its failure.
bool was_ended_after_success(const JobDecision& d, const Replica& replica) {
  return d.status.phase == Phase::kSucceeded && replica.pod != nullptr && replica.pod->status.phase == "Failed" &&
         replica.pod->status.reason == "DeadlineExceeded";
}

std::string replica_phase(const JobDecision& d, const Replica& replica) {
  if (d.status.succeeded.contains(replica.key) || was_ended_after_success(d, replica)) return "Succeeded";
  if (replica.pod != nullptr) return replica.pod->status.phase.empty() ? "Pending" : replica.pod->status.phase;
  return is_finished(d.status.phase) || d.status.phase == Phase::kPaused ? "Deleted" : "Creating";
}

ReplicaStatus replica_status(const JobDecision& d, const Replica& replica, const std::string& phase) {
  ReplicaStatus state{.pod = replica.pod_name, .uid = {}, .phase = phase, .containers = {}};
  if (replica.pod != nullptr) {
    state.uid = replica.pod->metadata.uid;
    state.containers = container_ends(*replica.pod);
  } else if (const ReplicaStatus* before = previous_state(d, replica); phase != "Creating" && before != nullptr) {
    state.uid = before->uid;
    state.containers = before->containers;
  }
  return state;
}

}  // namespace

JobDecision look(const Observed& seen) {
  JobDecision d{.seen = seen, .status = seen.status, .replicas = wanted_replicas(seen.job), .surplus = {}, .plan = {}};
  std::map<std::string_view, Replica*> by_name;
  for (Replica& replica : d.replicas) by_name[replica.pod_name] = &replica;
  for (const auto& pod : seen.pods) {
    if (!api::is_controlled_by(pod->metadata, seen.job.uid) || pod->metadata.ns != seen.job.ns) continue;
    const auto wanted = by_name.find(pod->metadata.name);
    if (wanted != by_name.end()) {
      wanted->second->pod = pod.get();
    } else if (pod->metadata.labels.contains(api::kAttemptLabel)) {
      d.surplus.push_back(pod.get());
    }
  }
  // The highest index comes first; the order does not depend on the order of observation.
  std::ranges::sort(d.surplus, [](const api::Pod* a, const api::Pod* b) {
    const auto size_a = a->metadata.name.size();
    const auto size_b = b->metadata.name.size();
    return size_a != size_b ? size_a > size_b : a->metadata.name > b->metadata.name;
  });
  return d;
}

int attempt_of(const api::Pod& pod) {
  const auto label = pod.metadata.labels.find(api::kAttemptLabel);
  if (label == pod.metadata.labels.end()) return 0;
  const auto number = parse_int(label->second).value_or(0);
  return static_cast<int>(std::clamp<std::int64_t>(number, 0, INT32_MAX - 1));
}

bool ended_by_itself(const api::Pod& pod) {
  if (!is_finished_pod(pod)) return false;
  if (!is_terminating(pod)) return true;
  const auto ended = end_time(pod);
  return ended && *ended < *deletion_request(pod);
}

Time end_of_attempt(const Job& job, const api::Pod& pod) {
  if (!ended_by_itself(pod)) return deletion_request(pod).value_or(Time::max());
  const auto* end = decisive_end(job, pod);
  if (end != nullptr && end->finished_at) return *end->finished_at;
  // Without a time the machine ended it, and those that have one may be its victims.
  return end_time(pod).value_or(Time::min());
}

bool is_up(const JobDecision& d, const Replica& replica) {
  if (has_succeeded(d, replica)) return true;
  return replica.pod != nullptr && !is_terminating(*replica.pod) && !is_accounted(d, replica) &&
         (replica.pod->status.phase == "Running" || replica.pod->status.phase == "Succeeded");
}

bool has_succeeded(const JobDecision& d, const Replica& replica) {
  if (replica.role->restart_policy == RestartPolicy::kAlways) return false;
  if (d.status.succeeded.contains(replica.key)) return true;
  return replica.pod != nullptr && replica.pod->status.phase == "Succeeded" && ended_by_itself(*replica.pod) &&
         !is_accounted(d, replica);
}

int ended_attempts(const JobDecision& d, const Replica& replica) {
  const auto found = d.status.attempts.find(replica.key);
  return found == d.status.attempts.end() ? 0 : found->second;
}

bool is_accounted(const JobDecision& d, const Replica& replica) {
  return replica.pod != nullptr && attempt_of(*replica.pod) < ended_attempts(d, replica);
}

bool is_gang(const JobDecision& d) {
  return d.job().restart_unit == RestartUnit::kGang && !d.job().run_mode.debug;
}

bool is_role_up(const JobDecision& d, const std::string& type) {
  return std::ranges::all_of(d.replicas, [&](const Replica& r) { return r.role->type != type || is_up(d, r); });
}

std::vector<const Replica*> holders(const JobDecision& d, const ReplicaRule& rule,
                                    const std::function<bool(const Replica&)>& state) {
  std::vector<const Replica*> in_state;
  for (const Replica& replica : d.replicas) {
    if (!concerns(rule, *replica.role, replica.index)) continue;
    if (state(replica)) {
      in_state.push_back(&replica);
      if (rule.takes == ReplicaRule::Takes::kAny) return in_state;
    } else if (rule.takes == ReplicaRule::Takes::kEvery) {
      return {};
    }
  }
  return in_state;
}

std::string named(const JobDecision& d, const std::vector<const Replica*>& replicas) {
  if (replicas.size() == 1) return "replica " + replicas.front()->key;
  if (replicas.size() == d.replicas.size()) return "every replica";
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < std::min(kNamed, replicas.size()); ++i) keys.push_back(replicas[i]->key);
  if (replicas.size() > kNamed) keys.push_back(fmt::format("{} more", replicas.size() - kNamed));
  return "replicas " + join(keys, ", ");
}

std::optional<int> exit_code_of(const Job& job, const api::Pod& pod) {
  const auto* end = decisive_end(job, pod);
  if (end == nullptr) return std::nullopt;
  return end->exit_code;
}

std::string describe_end(const Job& job, const api::Pod& pod) {
  const auto* end = decisive_end(job, pod);
  if (end == nullptr) {
    if (pod.status.reason.empty()) return "no exit status";
    return pod.status.message.empty() ? pod.status.reason : pod.status.reason + ": " + pod.status.message;
  }
  const bool plain = end->reason.empty() || end->reason == "Error" || end->reason == "Completed";
  std::string text = fmt::format("exit code {}", end->exit_code);
  if (end->reason == "ContainerCannotRun" || end->reason == "StartError") {
    return text + " (" + end->reason + (end->message.empty() ? "" : ": " + end->message) + ")";
  }
  if (!plain) {
    text += " (" + end->reason + ")";
  } else if (const std::string_view signal = signal_behind(*end); !signal.empty()) {
    text += fmt::format(" ({})", signal);
  }
  const std::string cause = end->exit_code == 0 ? "" : find_cause(end->message).text;
  return cause.empty() ? text : text + ": " + cause;
}

bool has_lost_peer(const Job& job, const api::Pod& pod) {
  const auto* end = ended_by_itself(pod) ? decisive_end(job, pod) : nullptr;
  return end != nullptr && end->exit_code != 0 && find_cause(end->message).is_consequence;
}

std::optional<TensorBoardState> tensorboard_state(const JobDecision& d) {
  for (const auto& object : d.seen.objects) {
    if (object->string_at("kind") != "TensorBoard" || !api::is_controlled_by(*object, d.job().uid)) continue;
    TensorBoardState state{.name = object->string_at("metadata", "name"),
                           .uid = object->string_at("metadata", "uid"),
                           .ready = object->string_at("status", "phase") == "Running",
                           .message = "TensorBoard is starting"};
    for (const json::Document& condition : object->array_at("status", "conditions")) {
      if (condition.string_at("type") == "Ready") state.message = condition.string_at("message");
    }
    return state;
  }
  return std::nullopt;
}

std::vector<RoleStatus> role_statuses(const JobDecision& d) {
  std::vector<RoleStatus> roles;
  for (const Role& role : d.job().roles) {
    RoleStatus& next = roles.emplace_back(RoleStatus{.type = role.type});
    const auto before = std::ranges::find(d.status.roles, role.type, &RoleStatus::type);
    if (before == d.status.roles.end()) continue;
    next.restarts = before->restarts;
    next.charged = before->charged;
  }
  for (const Replica& replica : d.replicas) {
    RoleStatus& role = roles[replica.role_position];
    const std::string phase = replica_phase(d, replica);
    ++role.counts[phase];
    if (static_cast<std::size_t>(replica.rank) < kReplicasInStatus) {
      role.replicas.push_back(replica_status(d, replica, phase));
    }
  }
  return roles;
}

Time whole_seconds(Time t) {
  return std::chrono::floor<std::chrono::seconds>(t);
}

Time end_of(Time began, Duration span) {
  return began + span + std::chrono::seconds(1);
}

void emit(JobDecision& d, std::string type, std::string reason, std::string message) {
  d.plan.actions.emplace_back(
      EmitEvent{.type = std::move(type), .reason = std::move(reason), .message = std::move(message)});
}

bool is_full(JobDecision& d) {
  if (d.plan.actions.size() < kActionsPerPlan) return false;
  recheck_at(d, d.seen.now);
  return true;
}

void recheck_at(JobDecision& d, Time when) {
  const Duration span = std::max(when - d.seen.now, Duration(0));
  d.plan.recheck_after = std::min(d.plan.recheck_after.value_or(span), span);
}

}  // namespace muster::control
