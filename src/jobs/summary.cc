#include "jobs/summary.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "api/muster/limits.h"
#include "base/check.h"
#include "jobs/kind.h"

namespace muster::jobs {

namespace {

State phase_state(const JobStatus& status) {
  switch (status.phase) {
    case Phase::kNew:
    case Phase::kPending:
      return State::kPending;
    case Phase::kRunning:
      return status.replica_failure ? State::kRestarting : State::kRunning;
    case Phase::kPaused:
      return State::kPaused;
    case Phase::kResuming:
      return State::kResuming;
    case Phase::kSucceeded:
      return State::kSucceeded;
    case Phase::kFailed:
      return status.reason == kStoppedReason ? State::kStopped : State::kFailed;
  }
  return State::kPending;
}

State with_deletion(State phase, const json::Document& object) {
  return object.at("metadata", "deletionTimestamp") != nullptr ? State::kDeleting : phase;
}

std::string cause_of(State phase, const JobStatus& status) {
  switch (phase) {
    case State::kPending:
    case State::kResuming:
    case State::kFailed:
    case State::kStopped:
      return status.message;
    case State::kRestarting:
      return status.message.empty() ? status.replica_failure_message
                                    : status.replica_failure_message + "; it waits: " + status.message;
    case State::kRunning:
      if (!status.stalled.empty()) return status.stalled;
      return status.message.empty() ? status.lost : status.message;
    case State::kPaused:
    case State::kSucceeded:
    case State::kDeleting:
      return "";
  }
  return "";
}

int count_in(const JobStatus& status, const std::string& role, const char* phase) {
  const auto found = std::ranges::find(status.roles, role, &RoleStatus::type);
  if (found == status.roles.end()) return 0;
  const auto count = found->counts.find(phase);
  // Whoever may write the status may write any number.
  return count == found->counts.end() ? 0 : std::clamp(count->second, 0, static_cast<int>(api::kMaxReplicas));
}

/// Nothing of an ended job runs, although Kubeflow's kinds keep the last count.
int running_in(const JobStatus& status, const std::string& role) {
  return has_ended(phase_state(status)) ? 0 : count_in(status, role, "Running");
}

std::vector<RoleSummary> roles_of(const Job& job, const JobStatus& status) {
  std::vector<RoleSummary> roles;
  int rank = 0;
  for (const Role& role : job.roles) {
    roles.push_back({.name = role.type,
                     .replicas = role.replicas,
                     .first_rank = rank,
                     .processes = role.processes,
                     .running = running_in(status, role.type),
                     .succeeded = count_in(status, role.type, "Succeeded")});
    rank += role.replicas;
  }
  return roles;
}

/// Returns the roles of a job whose spec is invalid, such as one of another operator: name and replicas as written.
std::vector<RoleSummary> roles_written(const json::Document& spec, const JobStatus& status) {
  std::vector<RoleSummary> roles;
  const auto add = [&](const std::string& name, const json::Document& role) {
    const json::Document* replicas = role.find("replicas");
    const auto count = replicas != nullptr && replicas->is_int() ? replicas->as_int() : 1;
    roles.push_back({.name = name,
                     .replicas = static_cast<int>(std::clamp<std::int64_t>(count, 0, api::kMaxReplicas)),
                     .running = running_in(status, name),
                     .succeeded = count_in(status, name, "Succeeded")});
  };
  for (const json::Document& role : spec.array_at("replicaSpecs")) add(role.string_at("type"), role);
  if (!spec.is_object()) return roles;
  for (const json::Member& member : spec.as_object()) {
    if (!member.key.ends_with("ReplicaSpecs") || !member.value.is_object()) continue;
    for (const json::Member& role : member.value.as_object()) add(role.key, role.value);
  }
  return roles;
}

/// Doubles instead of adding ten thousand times.
void add_times(Quantity amount, int times, std::optional<Quantity>& sum) {
  if (!sum) sum = Quantity();
  for (; times > 0; times /= 2, amount = amount + amount) {
    if (times % 2 == 1) *sum = *sum + amount;
  }
}

void add_resources(const Role& role, std::map<std::string, Amounts>& sums) {
  for (const api::Container& container : role.pod_template.spec.containers) {
    for (const auto& [name, amount] : container.resources.requests)
      add_times(amount, role.replicas, sums[name].requests);
    for (const auto& [name, amount] : container.resources.limits) add_times(amount, role.replicas, sums[name].limits);
  }
}

void add_claims(const api::PodSpec& spec, std::vector<std::string>& claims) {
  for (const api::Volume& volume : spec.volumes) {
    if (!volume.persistent_volume_claim) continue;
    const std::string& name = volume.persistent_volume_claim->claim_name;
    if (std::ranges::find(claims, name) == claims.end()) claims.push_back(name);
  }
}

void set_decider(const Job& job, Summary& summary) {
  for (const Role& role : job.roles) {
    for (int i = 0; i < role.replicas; ++i) {
      if (!decides(job, role, i)) continue;
      summary.decider = replica_key(role, i);
      summary.deciding_pod = pod_name(job, role, i);
      return;
    }
  }
}

/// Returns sum + amount * times, or the largest number.
std::int64_t saturated_sum(std::int64_t sum, std::int64_t amount, std::int64_t times) {
  std::int64_t product = 0;
  const bool overflows = __builtin_mul_overflow(amount, times, &product) || __builtin_add_overflow(sum, product, &sum);
  return overflows ? std::numeric_limits<std::int64_t>::max() : sum;
}

void set_wanted(const Job& job, const JobStatus& status, Summary& summary) {
  summary.paused |= job.run_mode.paused;
  summary.elastic = job.elastic;
  summary.restart_limit = job.run_policy.backoff_limit;
  summary.queue = job.queue;
  summary.priority = job.priority;
  summary.roles = roles_of(job, status);
  for (const Role& role : job.roles) {
    add_resources(role, summary.resources);
    add_claims(role.pod_template.spec, summary.claims);
    summary.gpus = saturated_sum(summary.gpus, gpus_of(role.pod_template.spec), role.replicas);
    if (summary.priority_class.empty()) {
      summary.priority_class = role.pod_template.spec.rest.string_at("priorityClassName");
    }
  }
  set_decider(job, summary);
}

template <typename Value>
void append_known(const char* name, const std::optional<Value>& value, json::Object& out) {
  if (value) out.append(name, *value);
}

void append_text(const char* name, const std::string& text, json::Object& out) {
  if (!text.empty()) out.append(name, text);
}

json::Array encode_roles(const std::vector<RoleSummary>& roles) {
  json::Array out;
  for (const RoleSummary& role : roles) {
    out.emplace_back(json::Object{{"name", role.name},
                                  {"replicas", role.replicas},
                                  {"firstRank", role.first_rank},
                                  {"processes", role.processes}});
  }
  return out;
}

json::Object encode_resources(const std::map<std::string, Amounts>& resources) {
  json::Object out;
  for (const auto& [name, amounts] : resources) {
    json::Object one;
    if (amounts.requests) one.append("requests", amounts.requests->text());
    if (amounts.limits) one.append("limits", amounts.limits->text());
    out.append(name, std::move(one));
  }
  return out;
}

}  // namespace

std::string_view state_word(State state) {
  switch (state) {
    case State::kPending:
      return "Pending";
    case State::kRunning:
      return "Running";
    case State::kRestarting:
      return "Restarting";
    case State::kPaused:
      return "Paused";
    case State::kResuming:
      return "Resuming";
    case State::kSucceeded:
      return "Succeeded";
    case State::kFailed:
      return "Failed";
    case State::kStopped:
      return "Stopped";
    case State::kDeleting:
      return "Deleting";
  }
  return "Unknown";
}

bool has_ended(State state) {
  return state == State::kSucceeded || state == State::kFailed || state == State::kStopped;
}

int Summary::wanted() const {
  return std::accumulate(roles.begin(), roles.end(), 0, [](int sum, const auto& role) { return sum + role.replicas; });
}

int Summary::running() const {
  return std::accumulate(roles.begin(), roles.end(), 0, [](int sum, const auto& role) { return sum + role.running; });
}

int Summary::succeeded() const {
  return std::accumulate(roles.begin(), roles.end(), 0, [](int sum, const auto& role) { return sum + role.succeeded; });
}

State phase_of(const json::Document& object) {
  const JobKind* kind = kind_of_job(object);
  CHECK(kind != nullptr);
  return phase_state(kind->read_status(object));
}

State state_of(const json::Document& object) {
  return with_deletion(phase_of(object), object);
}

Summary summarise(const json::Document& object) {
  const JobKind* kind = kind_of_job(object);
  CHECK(kind != nullptr);
  const JobStatus status = kind->read_status(object);
  Summary summary;
  summary.phase = phase_state(status);
  summary.state = with_deletion(summary.phase, object);
  summary.cause = cause_of(summary.phase, status);
  if (has_ended(summary.phase)) summary.outcome = status.message;
  summary.stalled = summary.phase == State::kRunning && !status.stalled.empty();
  summary.paused = status.phase == Phase::kPaused;
  summary.restarts = std::max(0, status.restarts);
  if (status.tensorboard) summary.tensorboard = status.tensorboard->name;
  summary.started = status.started;
  summary.ended = status.completed ? status.completed : status.outcome_since;
  const json::Document* spec = object.find("spec");
  // A list of many jobs may be read without their specs.
  if (spec == nullptr || !spec->is_object() || spec->as_object().empty()) return summary;
  if (const auto job = kind->normalise(object, Where::kEngine)) {
    set_wanted(*job, status, summary);
  } else {
    summary.roles = roles_written(*spec, status);
  }
  return summary;
}

json::Document encode(const Summary& summary) {
  json::Object out{
      {"state", state_word(summary.state)},
      {"replicas",
       json::Object{{"wanted", summary.wanted()}, {"running", summary.running()}, {"succeeded", summary.succeeded()}}},
      {"restarts", summary.restarts},
      {"roles", encode_roles(summary.roles)},
      {"resources", encode_resources(summary.resources)}};
  append_text("cause", summary.cause, out);
  append_text("outcome", summary.outcome, out);
  append_known("restartLimit", summary.restart_limit, out);
  append_text("queue", summary.queue, out);
  append_known("priority", summary.priority, out);
  append_text("priorityClass", summary.priority_class, out);
  append_text("decider", summary.decider, out);
  append_text("decidingPod", summary.deciding_pod, out);
  append_text("tensorboard", summary.tensorboard, out);
  if (summary.gpus > 0) out.append("gpus", summary.gpus);
  if (summary.stalled) out.append("stalled", true);
  if (summary.paused) out.append("paused", true);
  if (summary.elastic) {
    out.append("elastic", json::Object{{"least", summary.elastic->least}, {"most", summary.elastic->most}});
  }
  if (!summary.claims.empty()) out.append("claims", json::Array(summary.claims.begin(), summary.claims.end()));
  if (summary.started) out.append("startTime", format_rfc3339(*summary.started));
  if (summary.ended) out.append("completionTime", format_rfc3339(*summary.ended));
  return out;
}

std::int64_t gpus_of(const api::PodSpec& spec) {
  std::int64_t total = 0;
  for (const api::Container& container : spec.containers) {
    for (const auto& [name, amount] : container.resources.limits) {
      if (name.ends_with("/gpu")) total = saturated_sum(total, amount.value(), 1);
    }
  }
  return total;
}

}  // namespace muster::jobs
