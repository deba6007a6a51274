// Operations on many members of an object at once, where a search or a shift for each of them would be quadratic.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json/document.h"

namespace muster::json {

/// Finds members of an object, which must outlive the index and must not lose members. Small objects are not indexed.
class MemberIndex {
 public:
  explicit MemberIndex(const Object& object);

  const Document* find(std::string_view key) const;
  /// The value in the same object for writing; an absent member is added as null.
  Document& at(Object& object, const std::string& key);

 private:
  const Object& object_;
  std::unordered_map<std::string, std::size_t> places_;  // empty when the object is small and searched directly
};

void erase_members(Object& object, const std::vector<std::string>& keys);

}  // namespace muster::json
