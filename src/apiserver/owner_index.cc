#include "apiserver/owner_index.h"

#include "apiserver/attributes.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

IndexedObject read_attributes(const store::Attributes& attributes) {
  IndexedObject object;
  attributes.each([&object](std::string_view key, std::string_view value) {
    if (key == kUid) object.uid = value;
    if (key == kDeleting) {
      object.deleting = true;
      object.collector_finalizer = value;
    }
    if (!key.starts_with(kOwnerPrefix)) return true;
    const std::vector<std::string> parts = split(value, ' ');
    if (parts.size() != 4) return true;
    const std::string uid(key.substr(kOwnerPrefix.size()));
    object.owners.push_back({uid, parts[0], parts[1], parts[2], parts[3] == "1"});
    return true;
  });
  return object;
}

}  // namespace

void OwnerIndex::set(const store::Key& key, const store::Attributes& attributes) {
  erase(key);
  IndexedObject object = read_attributes(attributes);
  by_uid_.insert_or_assign(object.uid, key);
  for (const OwnerLink& owner : object.owners) dependents_[owner.uid].insert(key);
  if (!key.ns.empty()) ++in_namespace_[key.ns];
  objects_.insert_or_assign(key, std::move(object));
}

void OwnerIndex::erase(const store::Key& key) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return;
  for (const OwnerLink& owner : found->second.owners) {
    const auto set = dependents_.find(owner.uid);
    if (set == dependents_.end()) continue;
    set->second.erase(key);
    if (set->second.empty()) dependents_.erase(set);
  }
  const auto uid = by_uid_.find(found->second.uid);
  if (uid != by_uid_.end() && uid->second == key) by_uid_.erase(uid);
  if (!key.ns.empty() && --in_namespace_[key.ns] == 0) in_namespace_.erase(key.ns);
  objects_.erase(found);
}

const IndexedObject* OwnerIndex::find(const store::Key& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : &found->second;
}

const store::Key* OwnerIndex::by_uid(const std::string& uid) const {
  const auto found = by_uid_.find(uid);
  return found == by_uid_.end() ? nullptr : &found->second;
}

const std::set<store::Key>& OwnerIndex::dependents(const std::string& uid) const {
  static const std::set<store::Key> none;
  const auto found = dependents_.find(uid);
  return found == dependents_.end() ? none : found->second;
}

std::size_t OwnerIndex::count_in(const std::string& ns) const {
  const auto found = in_namespace_.find(ns);
  return found == in_namespace_.end() ? 0 : found->second;
}

}  // namespace muster::apiserver
