#include "apiserver/housekeeping/owner_index.h"

#include "apiserver/list/attributes.h"
#include "base/strings.h"

namespace muster::apiserver {

OwnedObject read_owned(const store::Attributes& attributes) {
  OwnedObject object;
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

void OwnerIndex::change(const store::Key& key, const store::Attributes* before, const store::Attributes* now) {
  if (before != nullptr) {
    for (const OwnerLink& owner : read_owned(*before).owners) {
      const auto set = dependents_.find(owner.uid);
      if (set == dependents_.end()) continue;
      set->second.erase(key);
      if (set->second.empty()) dependents_.erase(set);
    }
    if (!key.ns.empty() && --in_namespace_[key.ns] == 0) in_namespace_.erase(key.ns);
  }
  if (now != nullptr) {
    for (const OwnerLink& owner : read_owned(*now).owners) dependents_[owner.uid].insert(key);
    if (!key.ns.empty()) ++in_namespace_[key.ns];
  }
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
