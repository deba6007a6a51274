// A plan: what a controller wants done for one object, its primary. Pure code makes plans; control/runtime applies
// them.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "json/document.h"
#include "reflect/reflect.h"

namespace muster::jobs {}

namespace muster::control {

using namespace jobs;  // the job model is what most controllers talk about

/// One existing object in the primary's namespace. The uid protects a later object of the same name.
struct ChildRef {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
};

/// `object` has apiVersion, kind and metadata.name, but no status.
struct Create {
  json::Document object;
  bool may_exist = false;  // nobody watches its kind, so it is looked up by its name first
};
/// A merge patch. It is rejected as a conflict when the child is no longer at `resource_version`.
struct Update {
  ChildRef child;
  std::string resource_version;
  json::Document patch;
};
struct Delete {
  ChildRef child;
};
/// An Event about the primary.
struct EmitEvent {
  std::string type;  // Normal, Warning
  std::string reason;
  std::string message;
};
struct DeletePrimary {};

using Action = std::variant<Create, Update, Delete, EmitEvent, DeletePrimary>;

/// Applied in this order: the status first, and only if it differs from what is stored; then the actions, one after the
/// other, ending at the first error. Because the status goes first, a crash in between repeats actions but never
/// accounting: what was counted, which port was chosen and how a job ended is stored before anything relies on it.
template <typename Status>
struct PlanWith {
  std::optional<Status> status;  // absent: leave it unchanged
  std::vector<Action> actions;
  std::optional<Duration> recheck_after;
  std::vector<std::string> reasons;  // for users: why, in one sentence each
};
/// `status` is the whole wanted member of that name.
using Plan = PlanWith<json::Document>;

template <typename T>
Create create_child(const T& object) {
  json::Document document = reflect::encode(object);
  document.as_object().erase("status");
  return {std::move(document)};
}

template <typename T>
ChildRef child_ref(const T& object) {
  const reflect::TypeDesc& type = reflect::type_of<T>();
  return {.api_version = type.field("apiVersion")->constant,
          .kind = type.field("kind")->constant,
          .name = object.metadata.name,
          .uid = object.metadata.uid};
}

}  // namespace muster::control
