#include "control/runtime/pod_binder.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/owners.h"
#include "api/resource.h"
#include "base/check.h"
#include "base/log.h"
#include "control/runtime/rest.h"
#include "reflect/reflect.h"

namespace muster::control {

namespace {

constexpr Duration kRetry = std::chrono::seconds(1);
/// The limit on concurrent requests of one kind: a gang of a thousand pods must not block the loop.
constexpr std::size_t kMaxRequests = 64;

const api::Resource& core_resource(std::string_view plural) {
  const api::Resource* resource = api::find_resource("", "v1", plural);
  CHECK(resource != nullptr);
  return *resource;
}

api::ObjectReference reference_to(const api::Pod& pod) {
  return {.api_version = "v1",
          .kind = "Pod",
          .ns = pod.metadata.ns,
          .name = pod.metadata.name,
          .uid = pod.metadata.uid,
          .resource_version = {},
          .field_path = {}};
}

/// Returns a reference to the pod's job, or to the pod itself when it has none.
api::ObjectReference owner_or_self(const api::Pod& pod) {
  api::ObjectReference about = reference_to(pod);
  if (const auto* owner = api::controller_of(pod.metadata); owner != nullptr) {
    about.api_version = owner->api_version;
    about.kind = owner->kind;
    about.name = owner->name;
    about.uid = owner->uid;
  }
  return about;
}

}  // namespace

PodBinder::PodBinder(Loop& loop, client::ApiClient& client, client::EventRecorder& events, SharedInformers& informers)
    : loop_(loop),
      client_(client),
      events_(events),
      pods_(informers.watch(watched_kind<api::Pod>(), [this](const AnyObject&, const AnyObject&) { wake(); })),
      nodes_(informers.watch(watched_kind<api::Node>(), [this](const AnyObject&, const AnyObject&) { wake(); })) {}

PodBinder::~PodBinder() {
  *alive_ = false;
}

void PodBinder::open() {
  open_ = true;
  wake();
}

void PodBinder::wake() {
  if (woken_ || !open_) return;
  woken_ = true;
  const auto look_when_idle = [this, alive = alive_] {
    if (*alive) {
      loop_.post_when_idle([this, alive] {
        if (*alive) look();
      });
    }
  };
  const Duration pause = next_look_ - loop_.mono();
  if (pause > Duration(0)) {
    loop_.after(pause, look_when_idle);
  } else {
    look_when_idle();
  }
}

void PodBinder::look() {
  woken_ = false;
  const MonoTime began = loop_.mono();
  Cluster cluster;
  std::map<std::string, std::string> still_assumed;
  for (const auto& pod : pods_.all<api::Pod>()) {
    const auto assumed = assumed_.find(pod->metadata.uid);
    if (assumed == assumed_.end() || !pod->spec.node_name.empty()) {
      cluster.pods.push_back(pod);
      continue;
    }
    // We have just bound this pod. The view does not show it yet, but its devices are already taken.
    auto bound = std::make_shared<api::Pod>(*pod);
    bound->spec.node_name = assumed->second;
    cluster.pods.push_back(std::move(bound));
    still_assumed.insert(*assumed);
  }
  assumed_ = std::move(still_assumed);
  cluster.nodes = nodes_.all<api::Node>();

  const Schedule decided = schedule(cluster);
  for (const auto& over : decided.overcommitted) {
    events_.record(owner_or_self(*over.first_pod), "Normal", "Overcommitted", over.message);
  }
  for (const auto& binding : decided.bindings) {
    assumed_[binding.uid] = binding.node;
    to_bind_.push_back(binding);
  }
  bind_waiting();
  report_waiting(decided.waiting);
  const MonoTime ended = loop_.mono();
  next_look_ = ended + rest_after(ended - began);
}

void PodBinder::bind_waiting() {
  while (!to_bind_.empty() && binding_ < kMaxRequests) {
    bind(to_bind_.front());
    to_bind_.pop_front();
  }
}

void PodBinder::bind(const Binding& binding) {
  ++binding_;
  const json::Document body =
      json::Object{{"apiVersion", "v1"},
                   {"kind", "Binding"},
                   {"metadata", json::Object{{"name", binding.pod}, {"namespace", binding.ns}, {"uid", binding.uid}}},
                   {"target", json::Object{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", binding.node}}}};
  client_.create_subresource(
      {core_resource("pods"), binding.ns, binding.pod, "binding"}, body,
      [this, alive = alive_, binding](Result<json::Document> bound) {
        if (!*alive) return;
        --binding_;
        bind_waiting();
        if (bound) {
          events_.record({.api_version = "v1",
                          .kind = "Pod",
                          .ns = binding.ns,
                          .name = binding.pod,
                          .uid = binding.uid,
                          .resource_version = {},
                          .field_path = {}},
                         "Normal", "Scheduled",
                         fmt::format("Successfully assigned {}/{} to {}", binding.ns, binding.pod, binding.node));
          return;
        }
        assumed_.erase(binding.uid);
        const Reason reason = bound.error().reason;
        // The pod is gone, replaced by another of the same name, or already bound: the view will show which.
        if (reason == Reason::kNotFound || reason == Reason::kConflict) return;
        LOG_WARN("pod not bound", {"namespace", binding.ns}, {"pod", binding.pod}, {"error", bound.error().message});
        loop_.after(kRetry, [this, alive] {
          if (*alive) wake();
        });
      });
}

void PodBinder::report_waiting(const std::vector<Waiting>& all) {
  std::map<std::string, std::string> reported;
  to_mark_.clear();
  for (const Waiting& waiting : all) {
    const auto before = reported_.find(waiting.gang);
    if (before == reported_.end() || before->second != waiting.message) {
      events_.record(owner_or_self(*waiting.pods.front()), "Warning", "Unschedulable", waiting.message);
    }
    reported[waiting.gang] = waiting.message;
    for (const auto& pod : waiting.pods) to_mark_.emplace_back(pod, waiting.message);
  }
  reported_ = std::move(reported);
  mark_waiting();
}

void PodBinder::mark_waiting() {
  while (!to_mark_.empty() && marking_.size() < kMaxRequests) {
    const auto [pod, message] = std::move(to_mark_.front());
    to_mark_.pop_front();
    if (!marking_.contains(pod->metadata.uid)) mark_unschedulable(*pod, message);
  }
}

void PodBinder::mark_unschedulable(const api::Pod& pod, const std::string& message) {
  std::vector<api::Condition> conditions = pod.status.conditions;
  const auto found = std::ranges::find(conditions, "PodScheduled", &api::Condition::type);
  api::Condition condition{.type = "PodScheduled",
                           .status = "False",
                           .reason = "Unschedulable",
                           .message = message,
                           .last_update_time = std::nullopt,
                           .last_transition_time = std::chrono::floor<std::chrono::seconds>(loop_.now())};
  if (found == conditions.end()) {
    conditions.push_back(std::move(condition));
  } else {
    if (found->status == "False" && found->message == message) return;
    if (found->status == "False") condition.last_transition_time = found->last_transition_time;
    *found = std::move(condition);
  }
  json::Array list;
  for (const auto& entry : conditions) list.push_back(reflect::encode(entry));
  const json::Document patch =
      json::Object{{"metadata", json::Object{{"resourceVersion", pod.metadata.resource_version}}},
                   {"status", json::Object{{"conditions", std::move(list)}}}};
  marking_.insert(pod.metadata.uid);
  // A conflict means that the pod has changed; that change wakes the scheduler, which then retries.
  client_.patch({core_resource("pods"), pod.metadata.ns, pod.metadata.name, "status"}, client::PatchType::kMerge, patch,
                {}, [this, alive = alive_, uid = pod.metadata.uid, name = pod.metadata.name](Result<json::Document> r) {
                  if (!*alive) return;
                  marking_.erase(uid);
                  mark_waiting();
                  if (!r && r.error().reason != Reason::kConflict && r.error().reason != Reason::kNotFound) {
                    LOG_WARN("waiting pod not marked", {"pod", name}, {"error", r.error().message});
                  }
                });
}

}  // namespace muster::control
