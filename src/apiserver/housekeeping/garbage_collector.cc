#include "apiserver/housekeeping/garbage_collector.h"

#include <algorithm>
#include <map>
#include <utility>

#include "api/resource.h"
#include "api/versions.h"
#include "apiserver/admission/metadata_rules.h"
#include "apiserver/housekeeping/namespace_conditions.h"
#include "apiserver/list/attributes.h"
#include "apiserver/verbs/delete.h"
#include "apiserver/verbs/write.h"
#include "base/log.h"
#include "json/excerpt.h"

namespace muster::apiserver {
namespace {

constexpr std::size_t kBatch = 64;
// How long a namespace may take to empty before its conditions report what remains, and the interval of later checks.
constexpr Duration kLingers = std::chrono::seconds(2);
// The delay before a retry after the store rejected a change, for example because the disk is full.
constexpr Duration kTryAgain = std::chrono::seconds(5);

const api::Resource* resource_named(const std::string& qualified) {
  for (const api::Resource* resource : api::stored_resources()) {
    if (resource->qualified_name() == qualified) return resource;
  }
  return nullptr;
}

/// Returns the time of the event's last change according to its own fields.
std::optional<Time> last_change(const std::string& bytes) {
  static const json::Excerpt times({"lastTimestamp", "metadata.creationTimestamp"});
  const auto event = times.read(bytes);
  if (!event) return std::nullopt;
  auto last = parse_rfc3339(event->string_at("lastTimestamp"));
  return last ? last : parse_rfc3339(event->string_at("metadata", "creationTimestamp"));
}

/// Returns false when the object was deleted or changed in the meantime: the event of that change requeues it.
bool has_failed(std::string_view what, const store::Key& key, const Error& error) {
  if (error.reason == Reason::kNotFound || error.reason == Reason::kConflict) return false;
  LOG_WARN("garbage collection", {"action", what}, {"resource", key.resource}, {"namespace", key.ns},
           {"name", key.name}, {"error", error.message});
  return true;
}

}  // namespace

Collector::~Collector() {
  for (const store::Store::Id id : subscriptions_) context_.store.unwatch(id);
  context_.loop.cancel(expiry_timer_);
  context_.loop.cancel(again_timer_);
}

void Collector::start() {
  for (const api::Resource* resource : api::stored_resources()) load(resource->qualified_name());
}

void Collector::load(const std::string& resource) {
  const store::Revision revision = context_.store.revision();
  std::vector<std::pair<Duration, std::pair<store::Key, store::Revision>>> events;
  context_.store.scan(resource, "", [&](const store::Key& key, const store::Entry& entry) {
    index_.change(key, nullptr, entry.attributes.get());
    const OwnedObject object = read_owned(*entry.attributes);
    if (!object.owners.empty() || object.deleting) enqueue(key);
    if (resource != "events") return;
    const Time now = context_.loop.now();
    const Duration age = now - last_change(*entry.bytes).value_or(now);
    // The wall clock may have jumped while the engine was stopped, so no event may outlive a full lifetime from now.
    events.emplace_back(std::clamp(event_life_ - age, Duration(0), event_life_), std::pair(key, entry.revision));
  });
  std::ranges::sort(events);
  for (const auto& [in, what] : events) expire_later(what.first, what.second, in);
  const auto id = context_.store.watch(resource, revision,
                                       [this](const std::shared_ptr<const store::Event>& event) { on_event(*event); });
  CHECK(id.has_value());  // the current revision is always in the history
  subscriptions_.push_back(*id);
}

void Collector::on_event(const store::Event& event) {
  const store::Key& key = event.key;
  const bool gone = event.type == store::EventType::kDeleted;
  const store::Attributes* before = event.previous.attributes.get();
  const store::Attributes* now = gone ? nullptr : event.entry.attributes.get();
  index_.change(key, before, now);
  std::vector<OwnerLink> owners;  // those before and after the change: either may be waiting for it
  if (before != nullptr) {
    OwnedObject object = read_owned(*before);
    owners = std::move(object.owners);
    if (gone) {
      for (const store::Key& dependent : index_.dependents(object.uid)) enqueue(dependent);
    }
  }
  if (now != nullptr) {
    const OwnedObject object = read_owned(*now);
    if (!object.owners.empty() || object.deleting) enqueue(key);
    owners.insert(owners.end(), object.owners.begin(), object.owners.end());
    if (key.resource == "events") expire_later(key, event.entry.revision, event_life_);
  }
  for (const OwnerLink& link : owners) {
    if (const auto owner = find_owner(link, key.ns); owner && owner->object.deleting) enqueue(owner->key);
  }
  if (!key.ns.empty() && is_terminating(key.ns)) {
    if (!gone) enqueue(key);
    if (index_.count_in(key.ns) == 0 || event.type == store::EventType::kAdded) enqueue({"namespaces", "", key.ns});
  }
}

std::optional<OwnedObject> Collector::find(const store::Key& key) const {
  const store::Entry* entry = context_.store.get(key);
  return entry == nullptr ? std::nullopt : std::optional(read_owned(*entry->attributes));
}

/// Returns nullopt when the owner is gone, or when another object has taken its name.
std::optional<Collector::Owner> Collector::find_owner(const OwnerLink& link, const std::string& ns) const {
  const api::Resource* kind = api::find_kind(link.api_version, link.kind);
  if (kind == nullptr) return std::nullopt;
  const bool cluster = kind->scope == api::Scope::kCluster;
  const store::Key key{kind->qualified_name(), cluster ? std::string() : ns, link.name};
  auto object = find(key);
  if (!object || object->uid != link.uid) return std::nullopt;
  return Owner{key, *std::move(object)};
}

bool Collector::is_terminating(const std::string& ns) const {
  const auto object = find({"namespaces", "", ns});
  return object && object->deleting;
}

void Collector::enqueue(const store::Key& key) {
  if (!queued_.insert(key).second) return;
  queue_.push_back(key);
  if (working_) return;
  working_ = true;
  context_.loop.post(lifetime_.guard([this] { work(); }));
}

void Collector::note(std::string_view what, const store::Key& key, const Error& error) {
  if (!has_failed(what, key, error)) return;
  again_.insert(key);
  if (again_timer_ != 0) return;
  again_timer_ = context_.loop.after(kTryAgain, [this] {
    again_timer_ = 0;
    for (const store::Key& again : std::exchange(again_, {})) enqueue(again);
  });
}

void Collector::work() {
  for (std::size_t i = 0; i < kBatch && !queue_.empty(); ++i) {
    const store::Key key = std::move(queue_.front());
    queue_.pop_front();
    queued_.erase(key);
    look_at(key);
  }
  working_ = !queue_.empty();
  if (!working_) return;
  context_.loop.post(lifetime_.guard([this] { work(); }));
}

void Collector::look_at(const store::Key& key) {
  const auto found = find(key);
  if (!found) return;
  const OwnedObject& object = *found;
  if (key.resource == "namespaces" && object.deleting) return empty_namespace(key);
  if (object.deleting && object.collector_finalizer == "orphan") return finish_orphan(key, object);
  if (object.deleting && object.collector_finalizer == "foregroundDeletion") return finish_foreground(key, object);
  if (object.deleting) return;
  if (!key.ns.empty() && is_terminating(key.ns)) return remove(key, object.uid, false);
  if (!object.owners.empty()) look_at_owners(key, object);
}

void Collector::look_at_owners(const store::Key& key, const OwnedObject& object) {
  std::set<std::string> absent;
  std::set<std::string> waiting;  // owners in foreground deletion, which wait until this object is gone
  bool held = false;
  for (const OwnerLink& link : object.owners) {
    if (api::find_kind(link.api_version, link.kind) == nullptr) {
      held = true;  // the owner's kind is not served here, so the owner may still exist
      continue;
    }
    const auto owner = find_owner(link, key.ns);
    if (!owner) {
      absent.insert(link.uid);
    } else if (owner->object.collector_finalizer == "foregroundDeletion") {
      waiting.insert(link.uid);
    } else {
      held = true;
    }
  }
  if (held) {
    absent.merge(waiting);
    if (!absent.empty()) drop_owners(key, absent);
    return;
  }
  const bool has_dependents = !index_.dependents(object.uid).empty();
  remove(key, object.uid, !waiting.empty() && has_dependents);
}

void Collector::finish_foreground(const store::Key& key, const OwnedObject& object) {
  bool blocked = false;
  for (const store::Key& dependent : index_.dependents(object.uid)) {
    const auto child = find(dependent);
    if (!child) continue;
    for (const OwnerLink& link : child->owners) blocked = blocked || (link.uid == object.uid && link.blocks);
    if (!child->deleting) enqueue(dependent);
  }
  if (!blocked) drop_finalizer(key, "foregroundDeletion");
}

void Collector::finish_orphan(const store::Key& key, const OwnedObject& object) {
  const std::set<store::Key> dependents = index_.dependents(object.uid);
  for (const store::Key& dependent : dependents) drop_owners(dependent, {object.uid});
  if (dependents.empty()) drop_finalizer(key, "orphan");
}

void Collector::empty_namespace(const store::Key& key) {
  if (index_.count_in(key.name) > 0) {
    for (const api::Resource* resource : api::stored_resources()) {
      if (resource->scope != api::Scope::kNamespaced) continue;
      context_.store.scan(resource->qualified_name(), key.name,
                          [&](const store::Key& inside, const store::Entry&) { enqueue(inside); });
    }
    if (!lingering_.insert(key.name).second) return;
    context_.loop.after(kLingers, lifetime_.guard([this, key] {
      lingering_.erase(key.name);
      if (!is_terminating(key.name)) return;
      if (index_.count_in(key.name) > 0) report_what_remains(key);
      enqueue(key);
    }));
    return;
  }
  edit_object(
      context_, *resource_named("namespaces"), key,
      [](json::Document& ns) -> Status {
        if (json::Document* spec = ns.find("spec"); spec != nullptr && spec->is_object()) {
          spec->as_object().erase("finalizers");
        }
        return ok();
      },
      noted("finish namespace", key));
}

void Collector::report_what_remains(const store::Key& key) {
  std::map<std::string, int> resources;
  std::map<std::string, int> finalizers;
  for (const api::Resource* resource : api::stored_resources()) {
    if (resource->scope != api::Scope::kNamespaced) continue;
    const std::string shown = resource->plural + "." + resource->group;  // "configmaps.", as in Kubernetes
    context_.store.scan(resource->qualified_name(), key.name, [&](const store::Key&, const store::Entry& entry) {
      ++resources[shown];
      const auto object = json::parse(*entry.bytes);
      if (!object) return;
      for (const std::string& finalizer : finalizers_of(*object)) ++finalizers[finalizer];
    });
  }
  const Time now = context_.loop.now();
  edit_object(
      context_, *resource_named("namespaces"), key,
      [resources, finalizers, now](json::Document& ns) -> Status {
        set_terminating_conditions(ns, resources, finalizers, now);
        return ok();
      },
      noted("report what remains", key));
}

void Collector::drop_owners(const store::Key& key, const std::set<std::string>& uids) {
  edit_object(
      context_, *resource_named(key.resource), key,
      [uids](json::Document& object) -> Status {
        json::Document* owners = object["metadata"].find("ownerReferences");
        if (owners == nullptr || !owners->is_array()) return ok();
        std::erase_if(owners->as_array(),
                      [&](const json::Document& owner) { return uids.contains(owner.string_at("uid")); });
        if (owners->as_array().empty()) object["metadata"].as_object().erase("ownerReferences");
        return ok();
      },
      noted("drop owner reference", key));
}

void Collector::drop_finalizer(const store::Key& key, const std::string& finalizer) {
  edit_object(
      context_, *resource_named(key.resource), key,
      [finalizer](json::Document& object) -> Status {
        std::vector<std::string> finalizers = finalizers_of(object);
        std::erase(finalizers, finalizer);
        set_finalizers(object, finalizers);
        return ok();
      },
      noted("drop finalizer", key));
}

void Collector::remove(const store::Key& key, const std::string& uid, bool foreground) {
  DeleteOptions options;
  if (!uid.empty()) options.uid = uid;
  if (foreground) options.propagation = Propagation::kForeground;
  remove_object(context_, *resource_named(key.resource), key, options,
                lifetime_.guard([this, key](Result<Removed> result) {
                  if (!result) note("delete", key, result.error());
                }));
}

OnStored Collector::noted(std::string_view what, const store::Key& key) {
  return lifetime_.guard([this, what, key](Result<store::Bytes> result) {
    if (!result) note(what, key, result.error());
  });
}

void Collector::expire_later(const store::Key& key, store::Revision revision, Duration in) {
  Expiry expiry{context_.loop.mono() + in, key, revision};
  const auto at = std::ranges::upper_bound(expiries_, expiry.due, {}, &Expiry::due);  // almost always the end
  const bool first = at == expiries_.begin();
  expiries_.insert(at, std::move(expiry));
  if (first) await_expiry();
}

void Collector::await_expiry() {
  context_.loop.cancel(expiry_timer_);
  expiry_timer_ = 0;
  if (expiries_.empty()) return;
  const Duration in = std::max(Duration(0), Duration(expiries_.front().due - context_.loop.mono()));
  expiry_timer_ = context_.loop.after(in, [this] { expire_due(); });
}

void Collector::expire_due() {
  for (std::size_t i = 0; i < kBatch && !expiries_.empty() && expiries_.front().due <= context_.loop.mono(); ++i) {
    const Expiry expiry = std::move(expiries_.front());
    expiries_.pop_front();
    expire(expiry);
  }
  await_expiry();
}

void Collector::expire(const Expiry& expiry) {
  const store::Entry* entry = context_.store.latest(expiry.key);
  // After a later change, the event has a later expiry.
  if (entry == nullptr || entry->revision != expiry.revision) return;
  remove_object(context_, *resource_named(expiry.key.resource), expiry.key, {},
                lifetime_.guard([this, expiry](Result<Removed> result) {
                  if (result || !has_failed("expire", expiry.key, result.error())) return;
                  expire_later(expiry.key, expiry.revision, kTryAgain);
                }));
}

}  // namespace muster::apiserver
