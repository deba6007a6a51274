#include "control/runtime/scheduler_status.h"

#include "api/muster/names.h"
#include "api/resource.h"
#include "base/check.h"
#include "base/log.h"
#include "control/scheduler/group_status.h"
#include "json/patch.h"
#include "reflect/reflect.h"

namespace muster::control {

namespace {

constexpr Duration kPause = std::chrono::seconds(1);
/// The limit on concurrent requests; groups beyond it are written after the next pause.
constexpr std::size_t kMaxStatusRequests = 64;

const api::Resource& scheduler_resource(std::string_view plural) {
  const api::Resource* resource = api::find_resource("scheduler.tensorstack.dev", "v1beta1", plural);
  CHECK(resource != nullptr);
  return *resource;
}

}  // namespace

SchedulerStatus::SchedulerStatus(Loop& loop, client::ApiClient& client, Ledger& ledger,
                                 const ClusterObjects& cluster_objects)
    : loop_(loop), client_(client), ledger_(ledger), cluster_objects_(cluster_objects) {}

void SchedulerStatus::note(const Schedule& decided) {
  std::map<Ledger::Key, std::string> reasons;
  for (const Waiting& waiting : decided.waiting) {
    const api::ObjectMeta& pod = waiting.pods.front()->metadata;
    const auto group = pod.labels.find(api::kGroupNameLabel);
    if (group != pod.labels.end()) reasons.try_emplace({pod.ns, group->second}, waiting.message);
  }
  for (const auto& [key, reason] : reasons) {
    const auto before = reasons_.find(key);
    if (before == reasons_.end() || before->second != reason) changed_.insert(key);
  }
  for (const auto& [key, reason] : reasons_) {
    if (!reasons.contains(key)) changed_.insert(key);
  }
  reasons_ = std::move(reasons);
  changed_.merge(ledger_.take_changed_groups());
  write_later();
}

void SchedulerStatus::write_later() {
  if (is_due_) return;
  is_due_ = true;
  loop_.after(kPause, lifetime_.guard([this] { write(); }));
}

void SchedulerStatus::write() {
  is_due_ = false;
  write_groups();
  write_queues();
  if (!changed_.empty()) write_later();
}

void SchedulerStatus::write_groups() {
  while (!changed_.empty() && requests_ < kMaxStatusRequests) {
    const Ledger::Key key = changed_.extract(changed_.begin()).value();
    const PodGroupPtr group = ledger_.find_group(key);
    if (group == nullptr || group->metadata.deletion_timestamp) continue;
    const auto reason = reasons_.find(key);
    const api::PodGroupStatus status =
        group_status(*group, ledger_, reason == reasons_.end() ? "" : reason->second, loop_.now());
    patch_status({scheduler_resource("podgroups"), key.first, key.second, "status"}, group->metadata.resource_version,
                 reflect::encode(group->status), reflect::encode(status));
  }
}

void SchedulerStatus::write_queues() {
  for (const auto& queue : cluster_objects_.queues) {
    patch_status({scheduler_resource("queues"), "", queue->metadata.name, "status"}, queue->metadata.resource_version,
                 reflect::encode(queue->status), reflect::encode(queue_status(*queue, ledger_, cluster_objects_)));
  }
}

void SchedulerStatus::patch_status(const client::ObjectName& object, const std::string& version,
                                   const json::Document& before, const json::Document& now) {
  const auto change = json::merge_patch_between(before, now);
  if (!change) return;
  ++requests_;
  const json::Document patch =
      json::Object{{"metadata", json::Object{{"resourceVersion", version}}}, {"status", *change}};
  // A conflict means that the object has changed. That change comes into view, and its status is written then.
  client_.patch(
      object, client::PatchType::kMerge, patch, {},
      lifetime_.guard([this, name = object.name](Result<json::Document> written) {
        --requests_;
        if (written || written.error().reason == Reason::kConflict || written.error().reason == Reason::kNotFound) {
          return;
        }
        LOG_WARN("status not written", {"name", name}, {"error", written.error().message});
      }));
}

}  // namespace muster::control
