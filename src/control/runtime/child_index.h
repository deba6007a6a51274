// ChildIndex: pods or services as structs, found by the uid of their controller, so that looking at one job costs what
// that job has and not what the cluster has. Fed by an informer; each object is decoded once per change.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/core_v1.h"
#include "base/log.h"
#include "client/informer.h"
#include "reflect/reflect.h"

namespace muster::control {

/// The owner that controls the object; null when there is none.
const api::OwnerReference* controller_of(const api::ObjectMeta& meta);

template <typename T>
class ChildIndex {
 public:
  using Ptr = std::shared_ptr<const T>;

  /// Takes the change in. Gives the object before and after; either may be null.
  std::pair<Ptr, Ptr> update(const client::Informer::Key& key, const json::Document* now) {
    Ptr before;
    if (const auto found = all_.find(key); found != all_.end()) before = found->second;
    if (before != nullptr) unlink(key, *before);
    all_.erase(key);
    if (now == nullptr) return {before, nullptr};
    auto decoded = reflect::decode<T>(*now);
    if (!decoded) {
      // The server has validated it; a shape we cannot read is left to whoever made it.
      LOG_WARN("object left out", {"namespace", key.first}, {"name", key.second}, {"error", decoded.error().message});
      return {before, nullptr};
    }
    auto after = std::make_shared<const T>(*std::move(decoded));
    all_[key] = after;
    if (const auto* owner = controller_of(after->metadata); owner != nullptr) by_owner_[owner->uid][key] = after;
    return {before, after};
  }

  std::vector<Ptr> children(const std::string& owner_uid) const {
    std::vector<Ptr> result;
    const auto found = by_owner_.find(owner_uid);
    if (found == by_owner_.end()) return result;
    for (const auto& [key, child] : found->second) result.push_back(child);
    return result;
  }

  const std::map<client::Informer::Key, Ptr>& all() const { return all_; }

 private:
  void unlink(const client::Informer::Key& key, const T& object) {
    const auto* owner = controller_of(object.metadata);
    if (owner == nullptr) return;
    const auto found = by_owner_.find(owner->uid);
    if (found == by_owner_.end()) return;
    found->second.erase(key);
    if (found->second.empty()) by_owner_.erase(found);
  }

  std::map<client::Informer::Key, Ptr> all_;
  std::map<std::string, std::map<client::Informer::Key, Ptr>> by_owner_;
};

}  // namespace muster::control
