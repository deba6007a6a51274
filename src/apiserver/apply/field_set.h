// FieldSet: a set of paths into an object, as stored in metadata.managedFields. It is a tree of path elements in the
// spelling of FieldsV1: `f:name` is a member, `k:{"name":"a"}` a list item by its keys, `v:"x"` a set item by its
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
  /// The children have different elements, none of them is empty, and they may come in any order.
  explicit FieldSet(std::vector<Child> children);

  bool empty() const { return !member && children_.empty(); }
  const std::vector<Child>& children() const { return children_; }
  const FieldSet* find(std::string_view element) const;
  /// Adds paths below `element`; an empty set adds nothing.
  void add(std::string element, FieldSet below);
  /// Removes the path and everything below it.
  void erase(std::string_view element);
  /// Removes the path alone, not what is below it.
  void erase_member(std::initializer_list<std::string_view> path) { erase_path(path.begin(), path.end()); }

  bool operator==(const FieldSet& other) const;

  static Result<FieldSet> from_fields_v1(const json::Document& fields);

  /// Visits every path in order, in readable form: `.spec.containers[name="a"].image`.
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

// These work path by path: a path and the paths below it are independent members.
FieldSet unite(FieldSet a, const FieldSet& b);
FieldSet intersect(const FieldSet& a, const FieldSet& b);
FieldSet subtract(const FieldSet& a, const FieldSet& b);

}  // namespace muster::apiserver::apply
