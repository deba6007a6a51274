// Work on many members of an object at once, where a search or a shift for each of them would be quadratic.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json/document.h"

namespace muster::json {

/// Finds members of an object that lives longer and loses none meanwhile. Small objects are searched.
class MemberIndex {
 public:
  explicit MemberIndex(const Object& object);

  const Document* find(std::string_view key) const;
  /// The value in the same object for writing, made null when absent.
  Document& at(Object& object, const std::string& key);

 private:
  const Object& object_;
  std::unordered_map<std::string, std::size_t> places_;  // empty where the object is searched
};

void erase_members(Object& object, const std::vector<std::string>& keys);

}  // namespace muster::json
