#include "control/runtime/shared_informers.h"

#include <algorithm>

#include "api/owners.h"
#include "api/resource.h"
#include "base/log.h"
#include "base/strings.h"

namespace muster::control {

namespace {

const api::Resource& resource_of(const reflect::TypeDesc& type) {
  const api::Resource* resource = api::find_kind(type.field("apiVersion")->constant, type.field("kind")->constant);
  CHECK(resource != nullptr);
  return *resource;
}

}  // namespace

std::pair<AnyObject, AnyObject> ObjectIndex::update(const Key& key, const json::Document* now) {
  AnyObject before;
  if (const auto found = all_.find(key); found != all_.end()) {
    before = std::move(found->second);
    all_.erase(found);
    unlink(key, before);
  }
  if (now == nullptr) return {before, {}};
  newest_ = std::max(newest_, parse_int(now->string_at("metadata", "resourceVersion")).value_or(0));
  auto decoded = kind_.decode(*now);
  if (!decoded) {
    // The server has validated the object, so we only skip what we cannot decode; its owner has to correct it.
    LOG_WARN("object left out", {"namespace", key.first}, {"name", key.second}, {"error", decoded.error().message});
    return {before, {}};
  }
  all_[key] = *decoded;
  if (const std::string owner = owner_uid(*decoded); !owner.empty()) by_owner_[owner][key] = *decoded;
  if (const auto* owner = api::controller_of(*decoded->metadata)) {
    ++uids_of_owners_[owner_name(*owner, key.first)][owner->uid];
  }
  return {before, *std::move(decoded)};
}

bool ObjectIndex::shows(const Key& key, const std::string& uid, const std::string& version) const {
  const auto awaited = parse_int(version);
  // Events of a kind arrive in the order of their versions. After a new list, the object itself counts.
  if (awaited && newest_ >= *awaited) return true;
  const auto found = all_.find(key);
  return found != all_.end() && found->second.metadata->uid == uid &&
         found->second.metadata->resource_version == version;
}

bool ObjectIndex::shows_deletion(const Key& key, const std::string& uid) const {
  const auto found = all_.find(key);
  return found == all_.end() || found->second.metadata->uid != uid || found->second.metadata->deletion_timestamp;
}

std::vector<AnyObject> ObjectIndex::controlled_by(const std::string& owner_uid) const {
  std::vector<AnyObject> result;
  const auto found = by_owner_.find(owner_uid);
  if (found == by_owner_.end()) return result;
  for (const auto& [key, object] : found->second) result.push_back(object);
  return result;
}

std::string ObjectIndex::owner_uid(const AnyObject& object) const {
  if (!kind_.uid_label.empty()) {
    const auto label = object.metadata->labels.find(kind_.uid_label);
    return label == object.metadata->labels.end() ? "" : label->second;
  }
  const auto* owner = api::controller_of(*object.metadata);
  return owner == nullptr ? "" : owner->uid;
}

std::vector<AnyObject> ObjectIndex::controlled_by_predecessors(const api::OwnerReference& of,
                                                               const std::string& ns) const {
  std::vector<AnyObject> result;
  const auto owners = uids_of_owners_.find(owner_name(of, ns));
  if (owners == uids_of_owners_.end()) return result;
  for (const auto& [uid, count] : owners->second) {
    if (uid == of.uid) continue;
    for (AnyObject& object : controlled_by(uid)) result.push_back(std::move(object));
  }
  return result;
}

ObjectIndex::OwnerName ObjectIndex::owner_name(const api::OwnerReference& owner, const std::string& ns) {
  return {owner.api_version.substr(0, owner.api_version.find('/')), owner.kind, ns, owner.name};
}

void ObjectIndex::forget_owner(const OwnerName& name, const std::string& uid) {
  const auto found = uids_of_owners_.find(name);
  if (found == uids_of_owners_.end()) return;
  if (--found->second[uid] == 0) found->second.erase(uid);
  if (found->second.empty()) uids_of_owners_.erase(found);
}

void ObjectIndex::unlink(const Key& key, const AnyObject& object) {
  if (const auto* owner = api::controller_of(*object.metadata)) {
    forget_owner(owner_name(*owner, key.first), owner->uid);
  }
  const auto found = by_owner_.find(owner_uid(object));
  if (found == by_owner_.end()) return;
  found->second.erase(key);
  if (found->second.empty()) by_owner_.erase(found);
}

const ObjectIndex& SharedInformers::watch(const WatchedKind& kind, OnChange on_change) {
  const auto [entry, is_new] = watches_.try_emplace({kind.type, kind.label_selector}, kind);
  Watch& watch = entry->second;
  if (on_change) watch.subscribers.push_back(std::move(on_change));
  if (is_new) {
    client::ListOptions options;
    options.label_selector = kind.label_selector;
    const auto note = [&watch](const client::Informer::Key& key, const json::Document*, const json::Document* now) {
      const auto [before, after] = watch.index.update(key, now);
      for (const OnChange& subscriber : watch.subscribers) subscriber(before, after);
    };
    for (const std::string& ns : namespaces_) {
      informers_.push_back(std::make_unique<client::Informer>(loop_, rng_, client_, resource_of(*kind.type), options,
                                                              note, std::nullopt, ns));
    }
  }
  return watch.index;
}

const TextObjects& SharedInformers::watch_text(const api::Resource& resource,
                                               const client::Informer::OnChange& on_change) {
  texts_.push_back(std::make_unique<TextObjects>());
  for (const std::string& ns : namespaces_) {
    informers_.push_back(std::make_unique<client::Informer>(loop_, rng_, client_, resource, client::ListOptions{},
                                                            on_change, client::Informer::TextOnly{.glance = {"status"}},
                                                            ns));
    texts_.back()->add(ns, *informers_.back());
  }
  return *texts_.back();
}

const client::Informer* TextObjects::informer_of(const std::string& ns) const {
  const auto all = by_namespace_.find("");
  const auto found = all == by_namespace_.end() ? by_namespace_.find(ns) : all;
  return found == by_namespace_.end() ? nullptr : found->second;
}

std::shared_ptr<const json::Document> TextObjects::find(const std::string& ns, const std::string& name) const {
  const client::Informer* informer = informer_of(ns);
  return informer == nullptr ? nullptr : informer->find(ns, name);
}

std::string TextObjects::version_of(const Key& key) const {
  const client::Informer* informer = informer_of(key.first);
  if (informer == nullptr) return "";
  const auto held = informer->cache().find(key);
  return held == informer->cache().end() ? "" : held->second.version;
}

bool TextObjects::has_any_in(const std::string& ns) const {
  const client::Informer* informer = informer_of(ns);
  if (informer == nullptr) return false;
  const auto first = informer->cache().lower_bound({ns, ""});
  return first != informer->cache().end() && first->first.first == ns;
}

std::vector<TextObjects::Key> TextObjects::keys() const {
  std::vector<Key> keys;
  for (const auto& [ns, informer] : by_namespace_) {
    for (const auto& [key, held] : informer->cache()) keys.push_back(key);
  }
  return keys;
}

void SharedInformers::start(Task synced) {
  auto unsynced = std::make_shared<std::size_t>(informers_.size());
  auto all_synced = std::make_shared<Task>(std::move(synced));
  for (auto& informer : informers_) {
    informer->when_synced([unsynced, all_synced] {
      if (--*unsynced == 0) (*all_synced)();
    });
    informer->start();
  }
}

}  // namespace muster::control
