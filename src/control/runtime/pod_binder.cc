#include "control/runtime/pod_binder.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
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

PodBinder::PodBinder(Loop& loop, client::ApiClient& client, client::EventRecorder& events, SharedInformers& informers,
                     bool strict)
    : loop_(loop),
      client_(client),
      events_(events),
      pods_(informers.watch(watched_kind<api::Pod>(),
                            [this](const AnyObject& before, const AnyObject& now) { on_pod(before, now); })),
      nodes_(informers.watch(watched_kind<api::Node>(), on_cluster_objects())),
      queues_(informers.watch(watched_kind<api::Queue>(), on_cluster_objects())),
      priority_classes_(informers.watch(watched_kind<api::PriorityClass>(), on_cluster_objects())),
      namespaces_(informers.watch(watched_kind<api::Namespace>(), on_cluster_objects())),
      status_(loop, client, ledger_, cluster_objects_) {
  cluster_objects_.strict = strict;
  informers.watch(watched_kind<api::PodGroup>(),
                  [this](const AnyObject& before, const AnyObject& now) { on_group(before, now); });
}

void PodBinder::open() {
  open_ = true;
  wake();
}

void PodBinder::wake() {
  if (woken_ || !open_) return;
  woken_ = true;
  auto look_when_idle = lifetime_.guard([this] { loop_.post_when_idle(lifetime_.guard([this] { look(); })); });
  const Duration pause = next_look_ - loop_.mono();
  if (pause > Duration(0)) {
    loop_.after(pause, look_when_idle);
  } else {
    look_when_idle();
  }
}

// ---- what is known ----

void PodBinder::on_pod(const AnyObject& before, const AnyObject& now) {
  if (before.object == nullptr && now.object == nullptr) return;
  const auto pod = std::static_pointer_cast<const api::Pod>(now.object);
  if (before.object != nullptr && (pod == nullptr || pod->metadata.uid != before.metadata->uid)) {
    assumed_.erase(before.metadata->uid);
  }
  if (pod != nullptr && !pod->spec.node_name.empty()) assumed_.erase(pod->metadata.uid);
  const api::ObjectMeta& metadata = pod == nullptr ? *before.metadata : pod->metadata;
  ledger_.note_pod({metadata.ns, metadata.name}, as_assumed(pod));
  wake();
}

void PodBinder::on_group(const AnyObject& before, const AnyObject& now) {
  if (before.object == nullptr && now.object == nullptr) return;
  const api::ObjectMeta& metadata = now.object == nullptr ? *before.metadata : *now.metadata;
  ledger_.note_group({metadata.ns, metadata.name}, std::static_pointer_cast<const api::PodGroup>(now.object));
  wake();
}

SharedInformers::OnChange PodBinder::on_cluster_objects() {
  return [this](const AnyObject&, const AnyObject&) {
    cluster_objects_changed_ = true;
    wake();
  };
}

void PodBinder::refresh_cluster_objects() {
  if (!std::exchange(cluster_objects_changed_, false)) return;
  cluster_objects_.nodes = nodes_.all<api::Node>();
  cluster_objects_.queues = queues_.all<api::Queue>();
  cluster_objects_.priority_classes = priority_classes_.all<api::PriorityClass>();
  cluster_objects_.namespaces = namespaces_.all<api::Namespace>();
}

PodPtr PodBinder::as_assumed(PodPtr pod) const {
  const auto assumed = pod == nullptr ? assumed_.end() : assumed_.find(pod->metadata.uid);
  if (assumed == assumed_.end()) return pod;
  // We have just bound this pod. The view does not show it yet, but its devices are already taken.
  auto bound = std::make_shared<api::Pod>(*pod);
  bound->spec.node_name = assumed->second;
  return bound;
}

// ---- a pass ----

void PodBinder::look() {
  woken_ = false;
  const MonoTime began = loop_.mono();
  refresh_cluster_objects();
  const Schedule decided = schedule(ledger_, cluster_objects_);
  report_notices(decided);
  for (const auto& binding : decided.bindings) {
    assumed_[binding.uid] = binding.node;
    ledger_.note_pod({binding.ns, binding.pod}, as_assumed(pods_.find<api::Pod>({binding.ns, binding.pod})));
    to_bind_.push_back(binding);
  }
  bind_waiting();
  report_waiting(decided.waiting);
  status_.note(decided);
  const MonoTime ended = loop_.mono();
  next_look_ = ended + rest_after(ended - began);
}

void PodBinder::report_notices(const Schedule& decided) {
  for (const auto& over : decided.overcommitted) {
    events_.record(owner_or_self(*over.first_pod), "Normal", "Overcommitted", over.message);
  }
  std::set<std::string> without_queues;
  for (const auto& gang : decided.without_queues) {
    without_queues.insert(gang.gang_id);
    if (without_queues_.contains(gang.gang_id)) continue;
    events_.record(owner_or_self(*gang.first_pod), "Warning", "QueueNotFound", gang.message);
  }
  without_queues_ = std::move(without_queues);
}

// ---- effects ----

void PodBinder::bind_waiting() {
  while (!to_bind_.empty() && binding_ < kMaxRequests) {
    bind(to_bind_.front());
    to_bind_.pop_front();
  }
}

void PodBinder::bind(const Binding& binding) {
  ++binding_;
  json::Document body =
      json::Object{{"apiVersion", "v1"},
                   {"kind", "Binding"},
                   {"metadata", json::Object{{"name", binding.pod}, {"namespace", binding.ns}, {"uid", binding.uid}}},
                   {"target", json::Object{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", binding.node}}}};
  // The annotations of a binding become the pod's.
  if (binding.gang_size > 0) {
    body["metadata"]["annotations"][api::kGangSizeAnnotation] = std::to_string(binding.gang_size);
  }
  client_.create_subresource(
      {core_resource("pods"), binding.ns, binding.pod, "binding"}, body,
      lifetime_.guard([this, binding](Result<json::Document> bound) {
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
        on_bind_failed(binding, bound.error());
      }));
}

void PodBinder::on_bind_failed(const Binding& binding, const Error& error) {
  assumed_.erase(binding.uid);
  ledger_.note_pod({binding.ns, binding.pod}, as_assumed(pods_.find<api::Pod>({binding.ns, binding.pod})));
  // The pod is gone, replaced by another of the same name, or already bound: the view will show which.
  if (error.reason == Reason::kNotFound || error.reason == Reason::kConflict) return;
  LOG_WARN("pod not bound", {"namespace", binding.ns}, {"pod", binding.pod}, {"error", error.message});
  loop_.after(kRetry, lifetime_.guard([this] { wake(); }));
}

void PodBinder::report_waiting(const std::vector<Waiting>& all) {
  std::map<std::string, std::string> reported;
  to_mark_.clear();
  for (const Waiting& waiting : all) {
    const auto before = reported_.find(waiting.gang_id);
    if (before == reported_.end() || before->second != waiting.message) {
      events_.record(owner_or_self(*waiting.pods.front()), "Warning", "Unschedulable", waiting.message);
    }
    reported[waiting.gang_id] = waiting.message;
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
                {}, lifetime_.guard([this, uid = pod.metadata.uid, name = pod.metadata.name](Result<json::Document> r) {
                  marking_.erase(uid);
                  mark_waiting();
                  if (!r && r.error().reason != Reason::kConflict && r.error().reason != Reason::kNotFound) {
                    LOG_WARN("waiting pod not marked", {"pod", name}, {"error", r.error().message});
                  }
                }));
}

}  // namespace muster::control
