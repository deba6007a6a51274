#include "control/runtime/pod_collector.h"

#include "base/log.h"
#include "control/observe.h"

namespace muster::control {

namespace {

constexpr Duration kRetryCollection = std::chrono::seconds(1);

client::ObjectName pod_name(const ObjectKey& key) {
  return {.resource = {"", "v1", "pods"}, .ns = key.ns, .name = key.name};
}

ObjectKey key_of(const api::ObjectMeta& pod) {
  return {.api_version = "v1", .kind = "Pod", .ns = pod.ns, .name = pod.name};
}

}  // namespace

PodCollector::PodCollector(Loop& loop, client::ApiClient& client, SharedInformers& informers)
    : loop_(loop),
      client_(client),
      queue_(loop, kObjectLimits, [this](const ObjectKey& key) { work(key); }),
      pods_(informers.watch(watched_kind<api::Pod>(),
                            [this](const AnyObject& before, const AnyObject& now) { on_pod(before, now); })),
      nodes_(informers.watch(watched_kind<api::Node>(),
                             [this](const AnyObject& before, const AnyObject& now) { on_node(before, now); })) {}

// ---- changes ----

void PodCollector::on_pod(const AnyObject& before, const AnyObject& now) {
  if (now.object != nullptr) return consider(*std::static_pointer_cast<const api::Pod>(now.object));
  if (before.object == nullptr) return;
  missing_since_.erase(key_of(*before.metadata));
  queue_.forget(key_of(*before.metadata));
}

void PodCollector::on_node(const AnyObject& before, const AnyObject& now) {
  // Nodes report how they are all the time; only one that comes or goes matters.
  if ((before.object == nullptr) == (now.object == nullptr)) return;
  if (now.object != nullptr) {
    ++node_count_;
  } else {
    --node_count_;
  }
  for (const auto& pod : pods_.all<api::Pod>()) consider(*pod);
}

void PodCollector::consider(const api::Pod& pod) {
  const bool is_suspect = pod.spec.node_name.empty() ? is_terminating(pod) : is_missing(pod.spec.node_name);
  if (is_suspect) queue_.add(key_of(pod.metadata));
}

bool PodCollector::is_missing(const std::string& node) const {
  // Without any node the machine is about to register itself, or somebody deleted it; its pods run on either way.
  return node_count_ > 0 && nodes_.find<api::Node>({"", node}) == nullptr;
}

std::optional<Duration> PodCollector::missing_for(const ObjectKey& key, const api::Pod& pod) {
  if (pod.spec.node_name.empty() || !is_missing(pod.spec.node_name)) {
    missing_since_.erase(key);
    return std::nullopt;
  }
  return loop_.mono() - missing_since_.try_emplace(key, loop_.mono()).first->second;
}

// ---- effects ----

void PodCollector::work(const ObjectKey& key) {
  const auto pod = pods_.find<api::Pod>({key.ns, key.name});
  if (pod == nullptr) return queue_.done(key);
  const Collection todo = collect(*pod, missing_for(key, *pod), loop_.now());
  if (todo.look_again) queue_.add_after(key, *todo.look_again);
  if (todo.status) return write_status(key, *pod, *todo.status);
  if (todo.remove) return remove(key, pod->metadata.uid);
  queue_.done(key);
}

void PodCollector::write_status(const ObjectKey& key, const api::Pod& pod, const json::Document& status) {
  client::ObjectName object = pod_name(key);
  object.subresource = "status";
  const json::Document patch =
      json::Object{{"metadata", json::Object{{"resourceVersion", pod.metadata.resource_version}}}, {"status", status}};
  client_.patch(object, client::PatchType::kMerge, patch, {},
                lifetime_.guard([this, key, uid = pod.metadata.uid](Result<json::Document> written) {
                  if (written) return remove(key, uid);
                  try_again(key, written.error());
                }));
}

void PodCollector::remove(const ObjectKey& key, const std::string& uid) {
  client::DeleteOptions options;
  options.grace_period_seconds = 0;
  options.precondition_uid = uid;
  client_.remove(pod_name(key), options, lifetime_.guard([this, key](Result<json::Document> removed) {
    if (!removed) return try_again(key, removed.error());
    LOG_INFO("pod without a node removed", {"namespace", key.ns}, {"pod", key.name});
    queue_.done(key);
  }));
}

void PodCollector::try_again(const ObjectKey& key, const Error& error) {
  // Gone or changed meanwhile: the view is about to show it.
  if (error.reason != Reason::kNotFound && error.reason != Reason::kConflict) {
    LOG_WARN("pod without a node not removed", {"namespace", key.ns}, {"pod", key.name}, {"error", error.message});
    queue_.add_after(key, kRetryCollection);
  }
  queue_.done(key);
}

}  // namespace muster::control
