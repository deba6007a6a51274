#include "testing/job_world.h"

#include <fmt/core.h>

#include "api/muster/names.h"
#include "base/check.h"
#include "base/overloaded.h"
#include "base/strings.h"
#include "json/patch.h"
#include "reflect/reflect.h"
#include "testing/model_kind.h"

namespace muster::control {

namespace {

const JobKind& kind_of(const json::Document& object) {
  const JobKind* kind = find_job_kind(object.string_at("apiVersion"), object.string_at("kind"));
  return kind == nullptr ? model_job_kind() : *kind;
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

std::string action_line(const Action& action) {
  return std::visit(
      Overloaded{
          [](const Create& create) {
            const json::Document* attempt = create.object.at("metadata", "labels", api::kAttemptLabel);
            return fmt::format("create {} {}{}", to_lower(create.object.string_at("kind")),
                               create.object.string_at("metadata", "name"),
                               attempt == nullptr ? "" : " attempt " + attempt->as_string());
          },
          [](const Update& update) {
            const std::string change = update.child.kind == "Pod" ? " " + json::serialize(update.patch) : "";
            return fmt::format("update {} {}{}", to_lower(update.child.kind), update.child.name, change);
          },
          [](const Delete& gone) { return fmt::format("delete {} {}", to_lower(gone.child.kind), gone.child.name); },
          [](const EmitEvent& event) {
            return fmt::format("event {} {}: {}", event.type, event.reason, event.message);
          },
          [](const DeletePrimary&) { return std::string("delete job"); },
      },
      action);
}

JobWorld::JobWorld(json::Document job_object, Where job_where, Time start)
    : object(std::move(job_object)), where(job_where), now(start), kind_(kind_of(object)) {}

Job JobWorld::job() const {
  auto job = kind_.normalise(object, where);
  if (!job) fmt::print(stderr, "{}\n", job.error().message);
  CHECK(job.has_value());
  return *std::move(job);
}

JobStatus JobWorld::status() const {
  return kind_.read_status(object);
}

JobPlan JobWorld::look() const {
  std::vector<std::shared_ptr<const json::Document>> further;
  for (const auto& [name, object_there] : objects) further.push_back(object_there);
  return decide({.job = job(),
                 .status = status(),
                 .pods = pointers(pods),
                 .services = pointers(services),
                 .now = now,
                 .offered_port = offered_port,
                 .objects = std::move(further),
                 .predecessor_runs = predecessor_runs,
                 .refused = refused});
}

bool JobWorld::has_effect(const JobPlan& plan) const {
  if (!plan.actions.empty()) return true;
  const json::Document* before = object.find("status");
  return plan.status && (before == nullptr || kind_.project(*plan.status, object, where, now) != *before);
}

void JobWorld::apply(const JobPlan& plan, std::size_t actions) {
  if (plan.status) write_status(kind_.project(*plan.status, object, where, now));
  for (const Action& action : plan.actions) {
    if (actions-- == 0) return;
    std::visit(Overloaded{
                   [&](const Create& create_child) { create(create_child.object); },
                   [&](const Update& change) { update(change); },
                   [&](const Delete& gone) { remove(gone.child); },
                   [&](const EmitEvent& event) { events.push_back(event); },
                   [&](const DeletePrimary&) { job_deleted = true; },
               },
               action);
  }
}

void JobWorld::write_status(json::Document status) {
  if (const json::Document* before = object.find("status"); before != nullptr && *before == status) return;
  if (prune) prune(status);
  object["status"] = std::move(status);
  ++status_writes;
}

void JobWorld::update(const Update& change) {
  if (change.child.kind != "Pod") return json::merge_patch(*objects.at(change.child.name), change.patch);
  api::Pod& pod = pods.at(change.child.name);
  json::Document spec = reflect::encode(pod.spec);
  json::merge_patch(spec, *change.patch.find("spec"));
  pod.spec = *reflect::decode<api::PodSpec>(spec);
}

void JobWorld::create(const json::Document& child) {
  if (refuses_creates) return;
  if (child.string_at("kind") == "Pod") return create_pod(*reflect::decode<api::Pod>(child));
  if (child.string_at("kind") != "Service") {
    objects.try_emplace(child.string_at("metadata", "name"), std::make_shared<json::Document>(child));
    return;
  }
  auto made = *reflect::decode<api::Service>(child);
  if (services.contains(made.metadata.name)) return;  // AlreadyExists
  made.metadata.uid = fmt::format("service-{}", ++last_uid_);
  services[made.metadata.name] = std::move(made);
}

void JobWorld::create_pod(api::Pod pod) {
  if (pods.contains(pod.metadata.name)) return;  // AlreadyExists
  pod.metadata.uid = fmt::format("pod-{}", ++last_uid_);
  pod.metadata.creation_timestamp = now;
  pod.status.phase = "Pending";
  pods[pod.metadata.name] = std::move(pod);
}

void JobWorld::remove(const ChildRef& child) {
  if (child.kind == "Pod") return remove_pod(child);
  CHECK(child.kind == "Service");
  services.erase(child.name);
}

void JobWorld::remove_pod(const ChildRef& pod) {
  const auto found = pods.find(pod.name);
  if (found == pods.end() || found->second.metadata.uid != pod.uid) return;  // NotFound, Conflict
  const bool ended = found->second.status.phase == "Succeeded" || found->second.status.phase == "Failed";
  if (!graceful || ended) {
    pods.erase(found);
  } else {
    happen(pod.name, {.phase = {},
                      .exit_code = {},
                      .ended_ago = {},
                      .reason = {},
                      .message = {},
                      .node = {},
                      .unschedulable = {},
                      .deleting = true});
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
  if (news.stall) {
    std::erase_if(pod.status.conditions, [](const auto& c) { return c.type == api::kStalledCondition; });
    pod.status.conditions.push_back({.type = api::kStalledCondition,
                                     .status = news.stall->empty() ? "False" : "True",
                                     .reason = news.stall->empty() ? "Active" : "NoActivity",
                                     .message = *news.stall,
                                     .last_update_time = std::nullopt,
                                     .last_transition_time = now});
  }
  if (news.status.is_object()) {
    json::Document status = reflect::encode(pod.status);
    json::merge_patch(status, news.status);
    pod.status = *reflect::decode<api::PodStatus>(status);
  }
  if (news.phase.empty()) return;
  pod.status.phase = news.phase;
  pod.status.reason = news.reason;
  pod.status.message = news.message;
  if (pod.spec.node_name.empty()) pod.spec.node_name = "machine";
  if (news.phase == "Running") run_containers(pod, now);
  if (news.phase == "Succeeded") end_containers(pod, 0, now - news.ended_ago);
  if (news.phase == "Failed" && news.exit_code) end_containers(pod, *news.exit_code, now - news.ended_ago);
  for (auto& status : pod.status.container_statuses) {
    if (status.state.terminated) status.state.terminated->message = news.termination;
  }
}

}  // namespace muster::control
