// A controller as data: the kind of object it manages, the kinds of children it creates, and the pure function that
// decides. control/runtime runs all controllers with one queue and one executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kubernetes/meta_v1.h"
#include "base/check.h"
#include "control/plan.h"
#include "control/refusal.h"
#include "reflect/reflect.h"

namespace muster::control {

/// An object of any kind, decoded to the struct of its kind.
struct AnyObject {
  std::shared_ptr<const void> object;         // null: there is none
  const api::ObjectMeta* metadata = nullptr;  // inside `object`
};

/// A kind whose objects are watched, and how they are decoded.
struct WatchedKind {
  const reflect::TypeDesc* type;
  std::string label_selector;  // "" selects all
  Result<AnyObject> (*decode)(const json::Document& object);
  /// The label whose value is the uid of the primary, for objects that the primary does not control itself, such as the
  /// pods of its Deployment. "": the controller of the object is the primary.
  std::string uid_label = {};
};

template <typename T>
WatchedKind watched_kind(std::string label_selector = {}) {
  return {.type = &reflect::type_of<T>(),
          .label_selector = std::move(label_selector),
          .decode = [](const json::Document& object) -> Result<AnyObject> {
            TRY_ASSIGN(auto decoded, reflect::decode<T>(object));
            auto shared = std::make_shared<const T>(std::move(decoded));
            const api::ObjectMeta* metadata = &shared->metadata;
            return AnyObject{.object = std::move(shared), .metadata = metadata};
          },
          .uid_label = {}};
}

/// The objects that belong to one primary, by kind.
class Children {
 public:
  void add(const reflect::TypeDesc& type, std::vector<AnyObject> objects) { by_type_[&type] = std::move(objects); }

  /// The type must be one of the controller's `children`.
  const std::vector<AnyObject>& of(const reflect::TypeDesc& type) const {
    const auto found = by_type_.find(&type);
    CHECK(found != by_type_.end());
    return found->second;
  }
  template <typename T>
  std::vector<std::shared_ptr<const T>> of() const {
    std::vector<std::shared_ptr<const T>> result;
    for (const AnyObject& child : of(reflect::type_of<T>())) {
      result.push_back(std::static_pointer_cast<const T>(child.object));
    }
    return result;
  }

 private:
  std::map<const reflect::TypeDesc*, std::vector<AnyObject>> by_type_;
};

/// The input of a plan.
struct Snapshot {
  const json::Document& primary;
  Children children;
  Time now;
  const Refusal* refused = nullptr;  // why a child could not be created, when that is news
};

struct Controller {
  std::string api_version;  // of the primary
  std::string kind;
  std::vector<WatchedKind> children;
  /// Total and deterministic: any stored object yields a plan.
  std::function<Plan(const Snapshot&)> plan;
  /// Called with identity and status of every primary that changed, before any plan is based on the change; `now` is
  /// null when the primary is gone. For what primaries share, such as ports; most controllers do not set it.
  std::function<void(const std::string& uid, const json::Document* now)> on_change = {};
};

}  // namespace muster::control
