#include "cli/objects/job_state.h"

#include <algorithm>

#include "api/names.h"
#include "api/resource.h"

namespace muster::cli {

namespace {

const json::Array& conditions_of(const json::Document& job) {
  return job.array_at("status", "conditions");
}

const json::Document* true_condition(const json::Document& job, std::initializer_list<std::string_view> types) {
  for (const json::Document& condition : conditions_of(job)) {
    if (condition.string_at("status") != "True") continue;
    if (std::ranges::find(types, condition.string_at("type")) != types.end()) return &condition;
  }
  return nullptr;
}

const json::Document* newest_true_condition(const json::Document& job) {
  const json::Document* newest = nullptr;
  for (const json::Document& condition : conditions_of(job)) {
    if (condition.string_at("status") != "True") continue;
    // RFC 3339 times in UTC sort as text. Of two equal times, the later one in the list counts as newer.
    if (newest == nullptr || condition.string_at("lastTransitionTime") >= newest->string_at("lastTransitionTime")) {
      newest = &condition;
    }
  }
  return newest;
}

std::string unscheduled_message(const json::Document& pod) {
  for (const json::Document& condition : conditions_of(pod)) {
    const bool unscheduled = condition.string_at("type") == "PodScheduled" && condition.string_at("status") == "False";
    if (unscheduled) return condition.string_at("message");
  }
  return "";
}

/// All kinds of a group use the same label for their pods.
std::string pod_label_of(const std::string& group) {
  const auto kinds = api::resources();
  const auto found =
      std::ranges::find_if(kinds, [&](const api::Resource& r) { return r.group == group && !r.pod_label.empty(); });
  return found == kinds.end() ? std::string() : found->pod_label;
}

}  // namespace

JobEnd job_end(const json::Document& job) {
  const std::string& phase = job.string_at("status", "phase");
  if (phase == "Succeeded") return JobEnd::kSucceeded;
  if (phase == "Failed") return JobEnd::kFailed;
  if (!phase.empty()) return JobEnd::kUnfinished;
  if (true_condition(job, {"Failed"}) != nullptr) return JobEnd::kFailed;
  if (true_condition(job, {"Succeeded", "Completed", "Complete"}) != nullptr) return JobEnd::kSucceeded;
  return JobEnd::kUnfinished;
}

std::string job_phase(const json::Document& job) {
  switch (job_end(job)) {
    case JobEnd::kSucceeded:
      return "Succeeded";
    case JobEnd::kFailed:
      return "Failed";
    case JobEnd::kUnfinished:
      break;
  }
  const std::string& phase = job.string_at("status", "phase");
  if (!phase.empty()) return phase;
  const json::Document* newest = newest_true_condition(job);
  return newest == nullptr ? "Pending" : newest->string_at("type");
}

std::string job_message(const json::Document& job) {
  const json::Document* explains = nullptr;
  switch (job_end(job)) {
    case JobEnd::kFailed:
      explains = true_condition(job, {"Failed", "ReplicaFailure"});
      break;
    case JobEnd::kSucceeded:
      explains = true_condition(job, {"Succeeded", "Completed", "Complete"});
      break;
    case JobEnd::kUnfinished:
      explains = newest_true_condition(job);
      break;
  }
  if (explains == nullptr) return job.string_at("status", "message");
  return explains->string_at("message");
}

std::string container_message(const json::Document& container_status) {
  const std::string& waiting = container_status.string_at("state", "waiting", "message");
  return waiting.empty() ? container_status.string_at("state", "terminated", "message") : waiting;
}

std::string pod_message(const json::Document& pod) {
  for (const json::Document& status : pod.array_at("status", "containerStatuses")) {
    if (std::string message = container_message(status); !message.empty()) return message;
  }
  if (!pod.string_at("status", "message").empty()) return pod.string_at("status", "message");
  return unscheduled_message(pod);
}

std::string waiting_cause(const json::Document& object, std::span<const json::Document> pods) {
  if (job_end(object) != JobEnd::kUnfinished || job_phase(object) == "Running") return "";
  if (object.at("spec", "containers") != nullptr) return pod_message(object);
  for (const json::Document& condition : conditions_of(object)) {
    const bool says_why = condition.string_at("type") == "Running" && condition.string_at("status") == "False";
    if (says_why && !condition.string_at("message").empty()) return condition.string_at("message");
  }
  for (const json::Document& pod : pods) {
    if (pod.string_at("status", "phase") != "Pending") continue;
    // A gang is scheduled together, so a scheduling problem concerns all pods; other problems are the pod's own.
    if (std::string all = unscheduled_message(pod); !all.empty()) return all;
    if (std::string own = pod_message(pod); !own.empty())
      return "pod " + pod.string_at("metadata", "name") + ": " + own;
  }
  return "";
}

bool is_job_kind(const std::string& group) {
  return !pod_label_of(group).empty();
}

std::string pod_selector(const std::string& group, const std::string& job_name) {
  return pod_label_of(group) + "=" + job_name;
}

std::int64_t replica_count(const json::Document& job) {
  const json::Document* spec = job.find("spec");
  if (spec == nullptr || !spec->is_object()) return 0;
  std::int64_t total = 0;
  const auto add = [&](const json::Document& role) {
    const json::Document* count = role.find("replicas");
    total += count != nullptr && count->is_int() ? count->as_int() : 1;
  };
  for (const json::Member& member : spec->as_object()) {
    // TensorStack's replicaSpecs is a list of roles; Kubeflow's pytorchReplicaSpecs and the like are maps by role.
    if (member.key == "replicaSpecs" && member.value.is_array()) {
      for (const json::Document& role : member.value.as_array()) add(role);
    } else if (member.key.ends_with("ReplicaSpecs") && member.value.is_object()) {
      for (const json::Member& role : member.value.as_object()) add(role.value);
    }
  }
  return total;
}

std::int64_t restart_count(const json::Document& job) {
  // TensorStack's kinds have the one, Kubeflow's the other.
  return job.int_at("status", "backoffCount") + job.int_at("status", "restartCount");
}

std::string replica_label(const json::Document& pod, const std::string& job_name) {
  constexpr std::pair<const char*, const char*> kRoleAndIndex[] = {
      {api::kReplicaTypeLabel, api::kReplicaIndexLabel},
      {api::kKubeflowReplicaTypeLabel, api::kKubeflowReplicaIndexLabel}};
  for (const auto& [role, index] : kRoleAndIndex) {
    const std::string& type = pod.string_at("metadata", "labels", role);
    const std::string& number = pod.string_at("metadata", "labels", index);
    if (!type.empty() && !number.empty()) return type + "-" + number;
  }
  const std::string& name = pod.string_at("metadata", "name");
  const std::string prefix = job_name + "-";
  const bool shortened = !job_name.empty() && name.starts_with(prefix) && name.size() > prefix.size();
  return shortened ? name.substr(prefix.size()) : name;
}

}  // namespace muster::cli
