// metav1: the types that all kinds share.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::api {

using StringMap = std::map<std::string, std::string>;

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::optional<bool> controller;
  std::optional<bool> block_owner_deletion;
  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  std::string name;
  std::string generate_name;
  std::string ns;  // "namespace"
  std::string uid;
  std::string resource_version;
  std::optional<std::int64_t> generation;
  std::optional<Time> creation_timestamp;
  std::optional<Time> deletion_timestamp;
  std::optional<std::int64_t> deletion_grace_period_seconds;
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> owner_references;
  std::vector<std::string> finalizers;
  json::Document rest;  // managedFields, selfLink
};

/// A condition of Kubernetes' own kinds, TensorStack and Kubeflow; each kind uses a subset of the fields.
struct Condition {
  std::string type;
  std::string status;  // True, False, Unknown
  std::string reason;
  std::string message;
  std::optional<Time> last_update_time;  // Kubeflow
  std::optional<Time> last_transition_time;
  bool operator==(const Condition&) const = default;
};
/// Returns null when there is no condition of that type.
inline const api::Condition* find_condition(const std::vector<api::Condition>& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &api::Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

struct LabelSelector {
  StringMap match_labels;
  json::Document rest;  // matchExpressions
};

}  // namespace muster::api

// Descriptors of these types.
namespace muster::reflect {

TypeDesc describe(Of<api::OwnerReference>);
TypeDesc describe(Of<api::ObjectMeta>);
TypeDesc describe(Of<api::Condition>);
TypeDesc describe(Of<api::LabelSelector>);

}  // namespace muster::reflect
