// SharedInformers: each kind is watched once, whoever asks. Objects are decoded once per change and found by the uid of
// their controller, so that a look at one primary costs what that one has and not what the cluster has.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ports.h"
#include "client/api_client.h"
#include "client/informer.h"
#include "control/controller.h"

namespace muster::control {

/// All objects of one watched kind.
class ObjectIndex {
 public:
  using Key = client::Informer::Key;

  explicit ObjectIndex(WatchedKind kind) : kind_(std::move(kind)) {}

  /// Takes the change in. Gives the object before and after; either may be null.
  std::pair<AnyObject, AnyObject> update(const Key& key, const json::Document* now);
  std::vector<AnyObject> controlled_by(const std::string& owner_uid) const;
  /// T is the struct of the kind.
  template <typename T>
  std::vector<std::shared_ptr<const T>> all() const {
    CHECK(&reflect::type_of<T>() == kind_.type);
    std::vector<std::shared_ptr<const T>> result;
    for (const auto& [key, object] : all_) result.push_back(std::static_pointer_cast<const T>(object.object));
    return result;
  }

 private:
  void unlink(const Key& key, const AnyObject& object);

  WatchedKind kind_;
  std::map<Key, AnyObject> all_;
  std::map<std::string, std::map<Key, AnyObject>> by_owner_;
};

class SharedInformers {
 public:
  /// Either may be null.
  using OnChange = std::function<void(const AnyObject& before, const AnyObject& now)>;

  SharedInformers(Loop& loop, Rng& rng, client::ApiClient& client) : loop_(loop), rng_(rng), client_(client) {}

  /// To be called before start(). The index, and the informer of watch_text, live as long as this.
  const ObjectIndex& watch(const WatchedKind& kind, OnChange on_change = {});
  /// For many large objects that are looked at one by one; `on_change` is given identity and status.
  const client::Informer& watch_text(const api::Resource& resource, client::Informer::OnChange on_change);
  /// `synced` runs once, when the first view of all of them is complete: decisions before that would be made on a
  /// partial view.
  void start(Task synced);

 private:
  struct Watch {
    explicit Watch(const WatchedKind& kind) : index(kind) {}
    ObjectIndex index;
    std::vector<OnChange> subscribers;
  };
  using Id = std::pair<const reflect::TypeDesc*, std::string>;  // type, selector

  Loop& loop_;
  Rng& rng_;
  client::ApiClient& client_;
  std::map<Id, Watch> watches_;
  std::vector<std::unique_ptr<client::Informer>> informers_;  // last: they call into the rest
};

}  // namespace muster::control
