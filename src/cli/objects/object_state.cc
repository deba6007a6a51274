#include "cli/objects/object_state.h"

#include <algorithm>

#include "jobs/kind.h"
#include "jobs/summary.h"

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

bool is_job(const json::Document& object) {
  return jobs::kind_of_job(object) != nullptr;
}

ObjectEnd end_of_job(jobs::State phase) {
  switch (phase) {
    case jobs::State::kSucceeded:
      return ObjectEnd::kSucceeded;
    case jobs::State::kFailed:
      return ObjectEnd::kFailed;
    case jobs::State::kStopped:
      return ObjectEnd::kStopped;
    default:
      return ObjectEnd::kUnfinished;
  }
}

}  // namespace

ObjectEnd object_end(const json::Document& object) {
  if (is_job(object)) return end_of_job(jobs::phase_of(object));
  const std::string& phase = object.string_at("status", "phase");
  if (phase == "Succeeded") return ObjectEnd::kSucceeded;
  if (phase == "Failed") return ObjectEnd::kFailed;
  if (!phase.empty()) return ObjectEnd::kUnfinished;
  if (true_condition(object, {"Failed"}) != nullptr) return ObjectEnd::kFailed;
  if (true_condition(object, {"Succeeded", "Completed", "Complete"}) != nullptr) return ObjectEnd::kSucceeded;
  return ObjectEnd::kUnfinished;
}

std::string object_phase(const json::Document& object) {
  if (is_job(object)) return std::string(jobs::state_word(jobs::state_of(object)));
  const std::string& phase = object.string_at("status", "phase");
  if (!phase.empty()) return phase;
  if (object_end(object) == ObjectEnd::kSucceeded) return "Succeeded";
  if (object_end(object) == ObjectEnd::kFailed) return "Failed";
  const json::Document* newest = newest_true_condition(object);
  return newest == nullptr ? "Pending" : newest->string_at("type");
}

std::string object_message(const json::Document& object) {
  if (is_job(object)) {
    const jobs::Summary summary = jobs::summarise(object);
    return summary.cause.empty() ? summary.outcome : summary.cause;
  }
  const json::Document* explains = nullptr;
  switch (object_end(object)) {
    case ObjectEnd::kFailed:
    case ObjectEnd::kStopped:
      explains = true_condition(object, {"Failed"});
      break;
    case ObjectEnd::kSucceeded:
      explains = true_condition(object, {"Succeeded", "Completed", "Complete"});
      break;
    case ObjectEnd::kUnfinished:
      explains = newest_true_condition(object);
      break;
  }
  if (explains == nullptr) return object.string_at("status", "message");
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
  if (object_end(object) != ObjectEnd::kUnfinished) return "";
  if (is_job(object)) {
    if (std::string cause = jobs::summarise(object).cause; !cause.empty()) return cause;
  }
  if (object_phase(object) == "Running") return "";
  if (object.at("spec", "containers") != nullptr) return pod_message(object);
  for (const json::Document& pod : pods) {
    if (pod.string_at("status", "phase") != "Pending") continue;
    // A gang is scheduled together, so a scheduling problem concerns all pods; other problems are the pod's own.
    if (std::string all = unscheduled_message(pod); !all.empty()) return all;
    if (std::string own = pod_message(pod); !own.empty())
      return "pod " + pod.string_at("metadata", "name") + ": " + own;
  }
  return "";
}

}  // namespace muster::cli
