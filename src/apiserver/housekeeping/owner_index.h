// Index of owners, so that the cost of finding dependents depends only on their number. Only objects with owners are in
// it; everything else is read from the attributes in the store, so no object is parsed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
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

/// What garbage collection needs to know about an object.
struct OwnedObject {
  std::string uid;
  std::vector<OwnerLink> owners;
  bool deleting = false;
  std::string collector_finalizer;  // "orphan", "foregroundDeletion" or "" while deleting
};
OwnedObject read_owned(const store::Attributes& attributes);

class OwnerIndex {
 public:
  /// `before` is null for a new object, `now` for a deleted one.
  void change(const store::Key& key, const store::Attributes* before, const store::Attributes* now);

  /// Objects that name this uid as an owner, whether the owner exists or not.
  const std::set<store::Key>& dependents(const std::string& uid) const;
  std::size_t count_in(const std::string& ns) const;

 private:
  std::map<std::string, std::set<store::Key>> dependents_;
  std::map<std::string, std::size_t> in_namespace_;
};

}  // namespace muster::apiserver
