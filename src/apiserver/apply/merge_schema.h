// How the values of a type merge and who can own which part of them, as Kubernetes derives it from its OpenAPI: maps
// and objects member by member, some lists item by item, everything else as a whole.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kubernetes/kubernetes_fields.h"
#include "api/resource.h"
#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::apiserver::apply {

enum class Unit { kWhole, kMembers, kKeyedItems, kSetItems };

/// One place in a kind. Cheap to copy; valid as long as the resource it was made from.
class MergeSchema {
 public:
  explicit MergeSchema(const api::Resource& resource);

  Unit unit_of(const json::Document& value) const;
  MergeSchema member(std::string_view name) const;
  MergeSchema item() const;
  /// The member is declared by the type, rather than a key that somebody chose.
  bool declares(std::string_view name) const;
  /// For kKeyedItems and kSetItems: the element of each item, in order. Nullopt when an item has no key or two have the
  /// same: such a list can only be taken as a whole.
  std::optional<std::vector<std::string>> elements_of(const json::Array& items) const;

 private:
  /// The members that name an item of a list.
  using Keys = std::array<api::kubernetes::ItemKey, 2>;

  MergeSchema() = default;
  bool is_list() const;
  bool is_set() const;
  bool is_atomic() const;
  Keys keys() const;

  // In one of Kubernetes' own kinds, and in the metadata of every object, its tables say how values merge.
  bool built_in_ = false;
  const api::kubernetes::Field* field_ = nullptr;      // null for roots, items and what is unknown
  const api::kubernetes::Message* message_ = nullptr;  // of the value, or of the items of a list; null: no object
  // In a custom resource the schema of its definition does, which has what our descriptor has.
  const reflect::TypeDesc* type_ = nullptr;  // null: anything
  const reflect::FieldDesc* described_ = nullptr;
  bool root_ = false;
};

}  // namespace muster::apiserver::apply
