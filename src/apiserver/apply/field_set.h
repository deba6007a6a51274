// FieldSet: a set of paths into an object, as metadata.managedFields holds them. A tree of path elements in FieldsV1's
// own spelling: `f:name` a member, `k:{"name":"a"}` an item of a list by its keys, `v:"x"` an item of a set by its
// value. A path may be in the set with or without paths below it.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver::apply {

std::string member_element(std::string_view name);

class FieldSet {
 public:
  struct Child;

  /// Whether the path that leads here is itself in the set.
  bool member = false;

  FieldSet() = default;
  /// Of children with different elements, none of them empty, in any order.
  explicit FieldSet(std::vector<Child> children);

  bool empty() const { return !member && children_.empty(); }
  const std::vector<Child>& children() const { return children_; }
  const FieldSet* find(std::string_view element) const;
  /// Adds paths below `element`; an empty set adds nothing.
  void add(std::string element, FieldSet below);
  /// The path and everything below it.
  void erase(std::string_view element);
  /// The path alone, not what is below.
  void erase_member(std::initializer_list<std::string_view> path) { erase_path(path.begin(), path.end()); }

  bool operator==(const FieldSet& other) const;

  static Result<FieldSet> from_fields_v1(const json::Document& fields);

  /// Every path, in order, as people read it: `.spec.containers[name="a"].image`.
  void each_path(const std::function<void(const std::string& path)>& visit) const;

 private:
  void each_path_below(const std::string& prefix, const std::function<void(const std::string& path)>& visit) const;

  friend json::Document to_fields_v1(FieldSet set);
  friend FieldSet unite(FieldSet a, const FieldSet& b);

  void erase_path(const std::string_view* first, const std::string_view* last);

  std::vector<Child> children_;  // sorted by element, none of them empty
};

struct FieldSet::Child {
  std::string element;
  FieldSet below;
};

json::Document to_fields_v1(FieldSet set);

// Path by path: what is below a path is looked at on its own.
FieldSet unite(FieldSet a, const FieldSet& b);
FieldSet intersect(const FieldSet& a, const FieldSet& b);
FieldSet subtract(const FieldSet& a, const FieldSet& b);

}  // namespace muster::apiserver::apply
