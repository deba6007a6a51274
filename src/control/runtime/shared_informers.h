// SharedInformers: each kind is watched once, however many controllers use it. Objects are decoded once per change and
// indexed by the uid of the primary that they belong to, so a look at one primary costs time in proportion to its
// children only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
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

  /// Applies the change. Returns the object before and after it; either may be null.
  std::pair<AnyObject, AnyObject> update(const Key& key, const json::Document* now);
  /// Returns the objects that belong to the primary with this uid.
  std::vector<AnyObject> controlled_by(const std::string& owner_uid) const;
  /// Returns what earlier owners of the same kind, namespace and name control: they were deleted.
  std::vector<AnyObject> controlled_by_predecessors(const api::OwnerReference& of, const std::string& ns) const;
  /// Returns whether the view has the object of this uid at this version, or has come past it.
  bool shows(const Key& key, const std::string& uid, const std::string& version) const;
  /// Returns whether the view knows that the object is gone or has to go.
  bool shows_deletion(const Key& key, const std::string& uid) const;
  /// T must be the struct of the kind.
  template <typename T>
  std::vector<std::shared_ptr<const T>> all() const {
    CHECK(&reflect::type_of<T>() == kind_.type);
    std::vector<std::shared_ptr<const T>> result;
    for (const auto& [key, object] : all_) result.push_back(std::static_pointer_cast<const T>(object.object));
    return result;
  }
  /// Returns null when there is no such object.
  template <typename T>
  std::shared_ptr<const T> find(const Key& key) const {
    CHECK(&reflect::type_of<T>() == kind_.type);
    const auto found = all_.find(key);
    return found == all_.end() ? nullptr : std::static_pointer_cast<const T>(found->second.object);
  }

 private:
  using OwnerName = std::tuple<std::string, std::string, std::string, std::string>;  // API group, kind, namespace, name

  /// Returns "" for an object that belongs to nobody.
  std::string owner_uid(const AnyObject& object) const;
  static OwnerName owner_name(const api::OwnerReference& owner, const std::string& ns);
  void forget_owner(const OwnerName& name, const std::string& uid);
  void unlink(const Key& key, const AnyObject& object);

  WatchedKind kind_;
  std::map<Key, AnyObject> all_;
  std::int64_t newest_ = 0;                                         // version that came into view
  std::map<std::string, std::map<Key, AnyObject>> by_owner_;        // by uid
  std::map<OwnerName, std::map<std::string, int>> uids_of_owners_;  // and how many objects each controls
};

/// All objects of one kind, kept as text: those of each namespace have an informer of their own, unless one has all.
class TextObjects {
 public:
  using Key = client::Informer::Key;

  void add(const std::string& ns, const client::Informer& informer) { by_namespace_[ns] = &informer; }
  /// Returns null when absent. Every call parses the text.
  std::shared_ptr<const json::Document> find(const std::string& ns, const std::string& name) const;
  bool contains(const Key& key) const { return !version_of(key).empty(); }
  /// Returns the resourceVersion; "" when absent.
  std::string version_of(const Key& key) const;
  bool has_any_in(const std::string& ns) const;
  std::vector<Key> keys() const;

 private:
  const client::Informer* informer_of(const std::string& ns) const;

  std::map<std::string, const client::Informer*> by_namespace_;  // "": of all namespaces
};

class SharedInformers {
 public:
  /// Either object may be null.
  using OnChange = std::function<void(const AnyObject& before, const AnyObject& now)>;

  /// Without namespaces, all of them are watched at once, which needs a right for the whole cluster.
  SharedInformers(Loop& loop, Rng& rng, client::ApiClient& client, const std::vector<std::string>& namespaces = {})
      : loop_(loop),
        rng_(rng),
        client_(client),
        namespaces_(namespaces.empty() ? std::vector<std::string>{""} : namespaces) {}

  /// Must be called before start(). The index, and the objects that watch_text returns, live as long as this object.
  const ObjectIndex& watch(const WatchedKind& kind, OnChange on_change = {});
  /// For kinds with many large objects that are read one at a time. `on_change` receives identity and status only.
  const TextObjects& watch_text(const api::Resource& resource, const client::Informer::OnChange& on_change);
  /// Calls `synced` once, when the first view of all kinds is complete. Decisions made earlier would be based on a
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
  std::vector<std::string> namespaces_;
  std::map<Id, Watch> watches_;
  std::vector<std::unique_ptr<TextObjects>> texts_;
  std::vector<std::unique_ptr<client::Informer>> informers_;  // last: they call into the other members
};

}  // namespace muster::control
