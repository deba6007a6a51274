#include "control/job/job_world.h"

#include <fmt/core.h>

#include "base/check.h"
#include "reflect/reflect.h"

namespace muster::control {

namespace {

const Kind& kind_of(const json::Document& object) {
  const Kind* kind = find_job_kind(object.string_at("apiVersion"), object.string_at("kind"));
  CHECK(kind != nullptr);
  return *kind;
}

template <typename T>
std::vector<std::shared_ptr<const T>> pointers(const std::map<std::string, T>& objects) {
  std::vector<std::shared_ptr<const T>> result;
  for (const auto& [name, object] : objects) result.push_back(std::make_shared<const T>(object));
  return result;
}

void end_containers(api::Pod& pod, int exit_code, Time now) {
  pod.status.container_statuses.clear();
  for (const auto& container : pod.spec.containers) {
    api::ContainerStatus status;
    status.name = container.name;
    status.state.terminated = api::ContainerStateTerminated{};
    status.state.terminated->exit_code = exit_code;
    status.state.terminated->reason = exit_code == 0 ? "Completed" : "Error";
    status.state.terminated->finished_at = now;
    pod.status.container_statuses.push_back(std::move(status));
  }
}

void run_containers(api::Pod& pod, Time now) {
  pod.status.start_time = now;
  pod.status.container_statuses.clear();
  for (const auto& container : pod.spec.containers) {
    api::ContainerStatus status;
    status.name = container.name;
    status.state.running = api::ContainerStateRunning{.started_at = now};
    pod.status.container_statuses.push_back(std::move(status));
  }
}

}  // namespace

json::Document action_document(const Action& action) {
  if (const auto* pod = std::get_if<CreatePod>(&action)) return json::Object{{"createPod", reflect::encode(pod->pod)}};
  if (const auto* service = std::get_if<CreateService>(&action)) {
    return json::Object{{"createService", reflect::encode(service->service)}};
  }
  if (const auto* pod = std::get_if<DeletePod>(&action)) return json::Object{{"deletePod", pod->name + " " + pod->uid}};
  if (const auto* service = std::get_if<DeleteService>(&action)) return json::Object{{"deleteService", service->name}};
  if (const auto* event = std::get_if<EmitEvent>(&action)) {
    return json::Object{{"event", event->type + " " + event->reason + ": " + event->message}};
  }
  return "deleteJob";
}

JobWorld::JobWorld(json::Document job_object, Network job_network, Time start)
    : object(std::move(job_object)), network(job_network), now(start), kind_(kind_of(object)) {}

Job JobWorld::job() const {
  auto job = kind_.normalise(object, network);
  if (!job) fmt::print(stderr, "{}\n", job.error().message);
  CHECK(job.has_value());
  return *std::move(job);
}

JobStatus JobWorld::status() const {
  return kind_.read_status(object);
}

Plan JobWorld::look() const {
  return decide({.job = job(),
                 .status = status(),
                 .pods = pointers(pods),
                 .services = pointers(services),
                 .now = now,
                 .offered_port = offered_port});
}

bool JobWorld::has_effect(const Plan& plan) const {
  if (!plan.actions.empty()) return true;
  const json::Document* before = object.find("status");
  return plan.status && (before == nullptr || kind_.project(*plan.status, object, now) != *before);
}

void JobWorld::apply(const Plan& plan, std::size_t actions) {
  if (plan.status) object["status"] = kind_.project(*plan.status, object, now);
  for (const Action& action : plan.actions) {
    if (actions-- == 0) return;
    if (const auto* pod = std::get_if<CreatePod>(&action)) {
      create(pod->pod);
    } else if (const auto* service = std::get_if<CreateService>(&action)) {
      if (services.contains(service->service.metadata.name)) continue;
      api::Service made = service->service;
      made.metadata.uid = fmt::format("service-{}", ++last_uid_);
      services[made.metadata.name] = made;
    } else if (const auto* gone_pod = std::get_if<DeletePod>(&action)) {
      remove(*gone_pod);
    } else if (const auto* gone = std::get_if<DeleteService>(&action)) {
      services.erase(gone->name);
    } else if (const auto* event = std::get_if<EmitEvent>(&action)) {
      events.push_back(*event);
    } else {
      job_deleted = true;
    }
  }
}

void JobWorld::create(const api::Pod& pod) {
  if (pods.contains(pod.metadata.name)) return;  // AlreadyExists
  api::Pod made = pod;
  made.metadata.uid = fmt::format("pod-{}", ++last_uid_);
  made.metadata.creation_timestamp = now;
  made.status.phase = "Pending";
  pods[made.metadata.name] = std::move(made);
}

void JobWorld::remove(const DeletePod& pod) {
  const auto found = pods.find(pod.name);
  if (found == pods.end() || found->second.metadata.uid != pod.uid) return;  // NotFound, Conflict
  const bool ended = found->second.status.phase == "Succeeded" || found->second.status.phase == "Failed";
  if (!graceful || ended) {
    pods.erase(found);
  } else {
    happen(
        pod.name,
        {.phase = {}, .exit_code = {}, .reason = {}, .message = {}, .node = {}, .unschedulable = {}, .deleting = true});
  }
}

void JobWorld::happen(const std::string& name, const PodNews& news) {
  const auto found = pods.find(name);
  CHECK(found != pods.end());
  if (news.gone) {
    pods.erase(found);
    return;
  }
  api::Pod& pod = found->second;
  if (!news.node.empty()) pod.spec.node_name = news.node;
  if (news.deleting && !pod.metadata.deletion_timestamp) {
    pod.metadata.deletion_grace_period_seconds = 30;
    pod.metadata.deletion_timestamp = now + std::chrono::seconds(30);
  }
  if (!news.unschedulable.empty()) {
    pod.status.conditions = {{.type = "PodScheduled",
                              .status = "False",
                              .reason = "Unschedulable",
                              .message = news.unschedulable,
                              .last_update_time = std::nullopt,
                              .last_transition_time = now}};
  }
  if (news.phase.empty()) return;
  pod.status.phase = news.phase;
  pod.status.reason = news.reason;
  pod.status.message = news.message;
  if (pod.spec.node_name.empty()) pod.spec.node_name = "machine";
  if (news.phase == "Running") run_containers(pod, now);
  if (news.phase == "Succeeded") end_containers(pod, 0, now);
  if (news.phase == "Failed" && news.exit_code) end_containers(pod, *news.exit_code, now);
}

}  // namespace muster::control
