#include "arena/jobs.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/names.h"
#include "api/owners.h"
#include "base/quantity.h"
#include "base/strings.h"
#include "cli/objects/job_state.h"

namespace muster::arena {

namespace {

using json::Document;

/// Only an operator of the time of v1alpha1 writes launcherStatus.
bool launcher_is(const Document& job, std::string_view state) {
  return job.string_at("status", "launcherStatus") == state;
}

std::string status_of(const Document& job, const std::vector<Instance>& instances) {
  if (has_condition(job, "Succeeded") || launcher_is(job, "Succeeded")) return "SUCCEEDED";
  if (has_condition(job, "Failed") || launcher_is(job, "Failed")) return "FAILED";
  const bool waits = std::ranges::any_of(instances, [](const Instance& one) { return one.phase == "Pending"; });
  const bool runs = has_condition(job, "Running") || launcher_is(job, "Active");
  if (runs && !waits) return "RUNNING";
  if (has_condition(job, "Queuing") || has_condition(job, "Suspended")) return "QUEUING";
  return "PENDING";
}

/// The role, and the role's order in lists: the chief's role is first.
struct Place {
  bool is_other_role = false;
  std::string role;
  std::int64_t index = 0;
  auto operator<=>(const Place&) const = default;
};

std::string role_of(const Document& pod) {
  for (const char* label : {api::kKubeflowReplicaTypeLabel, api::kKubeflowJobRoleLabel, "mpi_role_type", "replica-type",
                            "tf-replica-type", "pytorch-replica-type"}) {
    const std::string& role = pod.string_at("metadata", "labels", label);
    if (!role.empty()) return to_lower(role);
  }
  return "";
}

std::int64_t index_of_replica(const Document& pod) {
  const std::string& label = pod.string_at("metadata", "labels", api::kKubeflowReplicaIndexLabel);
  return parse_int(label).value_or(0);
}

/// A TFJob without a chief is led by its first worker.
bool is_chief_role(const JobType& type, const Document& job, const std::string& role, std::int64_t index) {
  if (role == type.chief_role) return true;
  const Document* roles = job.at("spec", type.replica_specs);
  const bool has_chief = roles != nullptr && (roles->find("Chief") != nullptr || roles->find("Master") != nullptr);
  return type.name == "tfjob" && !has_chief && role == "worker" && index == 0;
}

Time time_at(const Document& object, std::string_view part, std::string_view member) {
  return parse_rfc3339(object.string_at(part, member)).value_or(Time{});
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
          .state = pod_state(pod),
          .ip = pod.string_at("status", "podIP"),
          .node = pod.string_at("spec", "nodeName"),
          .node_ip = pod.string_at("status", "hostIP"),
          .created = time_at(pod, "metadata", "creationTimestamp"),
          .requested_gpus = spec == nullptr ? 0 : gpus_of(*spec),
          .holds_gpus = !pod.string_at("status", "startTime").empty() && !ended && !leaves};
}

std::vector<Instance> instances_of(const JobType& type, const Document& job, std::span<const Document> pods) {
  std::vector<std::pair<Place, Instance>> placed;
  for (const Document& pod : pods) {
    if (!belongs_to(pod, job)) continue;
    const std::string role = role_of(pod);
    const std::int64_t index = index_of_replica(pod);
    Instance instance = instance_of(pod);
    instance.is_chief = is_chief_role(type, job, role, index);
    placed.emplace_back(Place{.is_other_role = !instance.is_chief, .role = role, .index = index}, std::move(instance));
  }
  std::ranges::sort(placed, {}, [](const auto& one) { return std::pair(one.first, one.second.name); });
  std::vector<Instance> out;
  for (auto& [place, instance] : placed) out.push_back(std::move(instance));
  return out;
}

/// Counts what the roles of the spec request, so that a job whose pods are gone still shows it.
std::int64_t gpus_in_spec(const JobType& type, const Document& job) {
  const Document* roles = job.at("spec", type.replica_specs);
  if (roles == nullptr || !roles->is_object()) return 0;
  std::int64_t total = 0;
  for (const json::Member& role : roles->as_object()) {
    const Document* replicas = role.value.find("replicas");
    const Document* spec = role.value.at("template", "spec");
    if (spec == nullptr) continue;
    total += gpus_of(*spec) * (replicas != nullptr && replicas->is_int() ? replicas->as_int() : 1);
  }
  return total;
}

std::string priority_of(const JobType& type, const Document& job) {
  const Document* roles = job.at("spec", type.replica_specs);
  if (roles == nullptr || !roles->is_object()) return "N/A";
  for (const json::Member& role : roles->as_object()) {
    const std::string& priority = role.value.string_at("template", "spec", "priorityClassName");
    if (!priority.empty()) return priority;
  }
  return "N/A";
}

std::string waiting_or_terminated(const Document& status) {
  const std::string& waiting = status.string_at("state", "waiting", "reason");
  if (!waiting.empty()) return waiting;
  const Document* terminated = status.at("state", "terminated");
  if (terminated == nullptr) return "";
  if (!terminated->string_at("reason").empty()) return terminated->string_at("reason");
  if (terminated->int_at("signal") != 0) return fmt::format("Signal:{}", terminated->int_at("signal"));
  return fmt::format("ExitCode:{}", terminated->int_at("exitCode"));
}

/// Returns "Init:0/1" and the like for a pod whose init containers have not all ended; "" for other pods.
std::string init_state(const Document& pod) {
  const std::size_t total = pod.array_at("spec", "initContainers").size();
  std::size_t done = 0;
  for (const Document& status : pod.array_at("status", "initContainerStatuses")) {
    const Document* terminated = status.at("state", "terminated");
    if (terminated != nullptr && terminated->int_at("exitCode") == 0) {
      ++done;
      continue;
    }
    const std::string reason = waiting_or_terminated(status);
    const bool says_more = !reason.empty() && reason != "PodInitializing";
    return says_more ? "Init:" + reason : fmt::format("Init:{}/{}", done, total);
  }
  return "";
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

std::string pod_state(const Document& pod) {
  if (pod.at("metadata", "deletionTimestamp") != nullptr) return "Terminating";
  if (std::string initialising = init_state(pod); !initialising.empty()) return initialising;
  std::string state = pod.string_at("status", "reason");
  if (state.empty()) state = pod.string_at("status", "phase");
  for (const Document& status : pod.array_at("status", "containerStatuses")) {
    const std::string reason = waiting_or_terminated(status);
    if (!reason.empty()) return reason;
  }
  return state;
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
  Job job{.type = &type,
          .uid = object.string_at("metadata", "uid"),
          .name = object.string_at("metadata", "name"),
          .ns = object.string_at("metadata", "namespace"),
          .status = {},
          .priority = priority_of(type, object),
          .created = time_at(object, "metadata", "creationTimestamp"),
          .started = parse_rfc3339(object.string_at("status", "startTime")),
          .ended = parse_rfc3339(object.string_at("status", "completionTime")),
          .instances = instances_of(type, object, pods),
          .message = cli::job_message(object)};
  job.status = status_of(object, job.instances);
  const auto recorded = parse_int(object.string_at("metadata", "annotations", kGpusAnnotation));
  job.requested_gpus = recorded.value_or(0) > 0 ? *recorded : gpus_in_spec(type, object);
  if (job.is_finished() && !job.ended) {
    for (const Document& condition : object.array_at("status", "conditions")) {
      const std::string& kind = condition.string_at("type");
      if (kind == "Failed" || kind == "Succeeded") job.ended = parse_rfc3339(condition.string_at("lastTransitionTime"));
    }
  }
  return job;
}

bool starts_later(const Job& a, const Job& b) {
  if (a.started.has_value() != b.started.has_value()) return !a.started.has_value();
  if (a.started != b.started) return a.started > b.started;
  return std::pair(a.ns, a.name) < std::pair(b.ns, b.name);
}

}  // namespace muster::arena
