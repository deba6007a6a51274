// OwnerIndex: who owns whom, kept up to date from the store's events, so that looking for dependents costs what the
// dependents cost. Built from attributes alone: no object is parsed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace muster::apiserver {

struct OwnerLink {
  std::string uid;
  std::string api_version;
  std::string kind;
  std::string name;
  bool blocks = false;  // blockOwnerDeletion
};

struct IndexedObject {
  std::string uid;
  std::vector<OwnerLink> owners;
  bool deleting = false;
  std::string collector_finalizer;  // "orphan", "foregroundDeletion" or "" while deleting
};

class OwnerIndex {
 public:
  void set(const store::Key& key, const store::Attributes& attributes);
  void erase(const store::Key& key);

  const IndexedObject* find(const store::Key& key) const;
  /// Null pointer when no live object has that uid.
  const store::Key* by_uid(const std::string& uid) const;
  /// Objects that name this uid as an owner, whether it lives or not.
  const std::set<store::Key>& dependents(const std::string& uid) const;
  std::size_t count_in(const std::string& ns) const;
  const std::map<store::Key, IndexedObject>& all() const { return objects_; }

 private:
  std::map<store::Key, IndexedObject> objects_;
  std::map<std::string, store::Key> by_uid_;
  std::map<std::string, std::set<store::Key>> dependents_;
  std::map<std::string, std::size_t> in_namespace_;
};

}  // namespace muster::apiserver
