// How the values of a type merge and who can own which part of them, as Kubernetes derives it from its OpenAPI: maps
// and objects member by member, some lists item by item, everything else as a whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::apiserver::apply {

enum class Unit { kWhole, kMembers, kKeyedItems, kSetItems };

/// One place in a type. Cheap to copy; valid as long as the descriptors and the name it was made from.
class MergeSchema {
 public:
  /// `built_in`: the kind is Kubernetes' own. There, members that our open types do not model still have a name in the
  /// schema; in a custom resource they are anything.
  MergeSchema(const reflect::TypeDesc& root, bool built_in) : type_(&root), built_in_(built_in), root_(true) {}

  Unit unit_of(const json::Document& value) const;
  MergeSchema member(std::string_view name) const;
  MergeSchema item() const;
  /// The member is declared by the type, rather than a key that somebody chose.
  bool declares(std::string_view name) const;
  /// For kKeyedItems and kSetItems: the element of each item, in order. Nullopt when an item has no key or two have the
  /// same: such a list can only be taken as a whole.
  std::optional<std::vector<std::string>> elements_of(const json::Array& items) const;

 private:
  /// The members that name an item of a list; "" where there is none.
  struct Keys {
    std::string_view first;
    std::string_view second;
  };

  MergeSchema() = default;
  Keys keys() const;
  std::string element_of(const json::Document& item, Keys keys) const;

  const reflect::TypeDesc* type_ = nullptr;  // null: anything
  const reflect::FieldDesc* field_ = nullptr;
  std::string_view name_;  // of the member this is, "" for items of lists
  bool built_in_ = false;
  bool root_ = false;
  bool own_metadata_ = false;  // of the object, not of a template in it
  bool whole_ = false;
  bool set_ = false;
};

}  // namespace muster::apiserver::apply
