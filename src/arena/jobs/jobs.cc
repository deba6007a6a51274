#include "arena/jobs/jobs.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "api/owners.h"
#include "api/print/pod_row.h"
#include "base/quantity.h"
#include "base/strings.h"
#include "jobs/pods.h"
#include "jobs/summary.h"

namespace muster::arena {

namespace {

using json::Document;

/// Arena has no word for a job that a person stopped; docs/states.md has the table.
std::string status_of(jobs::State phase, const std::vector<Instance>& instances) {
  switch (phase) {
    case jobs::State::kSucceeded:
      return "SUCCEEDED";
    case jobs::State::kFailed:
    case jobs::State::kStopped:
      return "FAILED";
    case jobs::State::kPaused:
      return "QUEUING";
    case jobs::State::kRunning:
      break;
    default:
      return "PENDING";
  }
  const bool waits = std::ranges::any_of(instances, [](const Instance& one) { return one.phase == "Pending"; });
  return waits ? "PENDING" : "RUNNING";
}

/// The role, and the role's order in lists: the chief's role is first.
struct Place {
  bool is_other_role = false;
  std::string role;
  std::int64_t index = 0;
  auto operator<=>(const Place&) const = default;
};

/// A TFJob without a chief is led by its first worker.
bool is_chief_role(const JobType& type, const jobs::Summary& job, const jobs::ReplicaPlace& place) {
  if (place.role == type.chief_role) return true;
  const bool has_chief = std::ranges::any_of(
      job.roles, [](const jobs::RoleSummary& role) { return role.name == "Chief" || role.name == "Master"; });
  return type.name == "tfjob" && !has_chief && place.role == "worker" && place.index == 0;
}

Time creation_time(const Document& object) {
  return parse_rfc3339(object.string_at("metadata", "creationTimestamp")).value_or(Time{});
}

bool belongs_to(const Document& pod, const Document& job) {
  if (pod.string_at("metadata", "namespace") != job.string_at("metadata", "namespace")) return false;
  if (api::is_controlled_by(pod, job.string_at("metadata", "uid"))) return true;
  // The launcher of some operators is the pod of a Job that belongs to the training job.
  return api::controller_of(pod) != nullptr && api::controller_of(pod)->string_at("kind") == "Job" &&
         pod.string_at("metadata", "labels", api::kKubeflowJobNameLabel) == job.string_at("metadata", "name");
}

Instance instance_of(const Document& pod) {
  const std::string& phase = pod.string_at("status", "phase");
  const bool ended = phase == "Succeeded" || phase == "Failed";
  const bool leaves = pod.at("metadata", "deletionTimestamp") != nullptr;
  const Document* spec = pod.find("spec");
  return {.name = pod.string_at("metadata", "name"),
          .phase = phase.empty() ? "Unknown" : phase,
          .state = api::pod_status(pod),
          .ip = pod.string_at("status", "podIP"),
          .node = pod.string_at("spec", "nodeName"),
          .node_ip = pod.string_at("status", "hostIP"),
          .created = creation_time(pod),
          .requested_gpus = spec == nullptr ? 0 : gpus_of(*spec),
          .holds_gpus = !pod.string_at("status", "startTime").empty() && !ended && !leaves};
}

std::vector<Instance> instances_of(const JobType& type, const Document& job, const jobs::Summary& summary,
                                   std::span<const Document> pods) {
  std::vector<std::pair<Place, Instance>> placed;
  for (const Document& pod : pods) {
    if (!belongs_to(pod, job)) continue;
    const jobs::ReplicaPlace place = jobs::replica_place(pod);
    Instance instance = instance_of(pod);
    instance.is_chief = is_chief_role(type, summary, place);
    placed.emplace_back(Place{.is_other_role = !instance.is_chief, .role = place.role, .index = place.index},
                        std::move(instance));
  }
  std::ranges::sort(placed, {}, [](const auto& one) { return std::pair(one.first, one.second.name); });
  std::vector<Instance> out;
  for (auto& [place, instance] : placed) out.push_back(std::move(instance));
  return out;
}

}  // namespace

bool has_condition(const Document& object, std::string_view type) {
  return std::ranges::any_of(object.array_at("status", "conditions"), [&](const Document& condition) {
    return condition.string_at("type") == type && condition.string_at("status") == "True";
  });
}

const Instance* Job::chief() const {
  const auto found = std::ranges::find_if(instances, &Instance::is_chief);
  return found == instances.end() ? nullptr : &*found;
}

std::int64_t Job::allocated_gpus() const {
  std::int64_t total = 0;
  for (const Instance& one : instances) total += one.holds_gpus ? one.requested_gpus : 0;
  return total;
}

Duration Job::duration(Time now) const {
  if (!started) return Duration(0);
  return (ended ? *ended : now) - *started;
}

std::int64_t gpus_of(const Document& pod_spec) {
  std::int64_t total = 0;
  for (const Document& container : pod_spec.array_at("containers")) {
    const Document* limit = container.at("resources", "limits", kGpu);
    if (limit == nullptr) continue;
    if (limit->is_int()) total += limit->as_int();
    const auto amount = limit->is_string() ? Quantity::parse(limit->as_string()) : std::nullopt;
    if (amount) total += amount->value();
  }
  return total;
}

const JobType& type_of_job(const Document& object, std::string_view kind) {
  const std::string& label = object.string_at("metadata", "labels", kTypeLabel);
  const JobType* of_kind = nullptr;
  for (const JobType& type : job_types()) {
    if (type.kind != kind) continue;
    if (type.name == label) return type;
    if (of_kind == nullptr) of_kind = &type;
  }
  CHECK(of_kind != nullptr);
  return *of_kind;
}

Job job_of(const JobType& type, const Document& object, std::span<const Document> pods) {
  const jobs::Summary summary = jobs::summarise(object);
  Job job{.type = &type,
          .uid = object.string_at("metadata", "uid"),
          .name = object.string_at("metadata", "name"),
          .ns = object.string_at("metadata", "namespace"),
          .status = {},
          .priority = summary.priority_class.empty() ? "N/A" : summary.priority_class,
          .created = creation_time(object),
          .started = summary.started,
          .ended = summary.ended,
          .instances = instances_of(type, object, summary, pods),
          .message = summary.cause};
  job.status = status_of(summary.phase, job.instances);
  const auto recorded = parse_int(object.string_at("metadata", "annotations", kGpusAnnotation));
  job.requested_gpus = recorded.value_or(0) > 0 ? *recorded : summary.gpus;
  return job;
}

bool starts_later(const Job& a, const Job& b) {
  if (a.started.has_value() != b.started.has_value()) return !a.started.has_value();
  if (a.started != b.started) return a.started > b.started;
  return std::pair(a.ns, a.name) < std::pair(b.ns, b.name);
}

}  // namespace muster::arena
