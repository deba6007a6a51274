// Describes how the values of a type merge and which parts of them can have different owners, as Kubernetes derives it
// from its OpenAPI: maps and objects member by member, some lists item by item, everything else as a whole.
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

/// The schema at one place in a kind. Cheap to copy; valid as long as the resource it was made from.
class MergeSchema {
 public:
  explicit MergeSchema(const api::Resource& resource);

  Unit unit_of(const json::Document& value) const;
  MergeSchema member(std::string_view name) const;
  MergeSchema item() const;
  /// Whether the type declares the member, so that it is not a key of a map.
  bool declares(std::string_view name) const;
  /// Returns the element of each item, in order, for kKeyedItems and kSetItems. Nullopt when an item lacks its key or
  /// two items have the same: such a list can only be handled as a whole.
  std::optional<std::vector<std::string>> elements_of(const json::Array& items) const;

 private:
  /// The members that identify an item of a list.
  using Keys = std::array<api::kubernetes::ItemKey, 2>;

  MergeSchema() = default;
  bool is_list() const;
  bool is_set() const;
  bool is_atomic() const;
  Keys keys() const;

  // For built-in kinds, and for the metadata of every object, the generated tables define how values merge.
  bool built_in_ = false;
  const api::kubernetes::Field* field_ = nullptr;      // null for roots, items and unknown members
  const api::kubernetes::Message* message_ = nullptr;  // of the value or of a list's items; null: not an object
  // For custom resources the schema in their definition does, which is made from our descriptor.
  const reflect::TypeDesc* type_ = nullptr;  // null: anything
  const reflect::FieldDesc* described_ = nullptr;
  bool root_ = false;
};

}  // namespace muster::apiserver::apply
