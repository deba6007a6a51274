// Collector collects garbage as kube-controller-manager does. It deletes dependents when all their owners are gone,
// completes foreground and orphan deletion through their finalizers, empties and then removes deleted namespaces, and
// expires events some time after their last change.
//
// The store's events drive it: each change queues the few objects that it concerns, and a task processes the queue in
// small batches, so that the loop stays responsive while thousands of pods are deleted.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "apiserver/context/context.h"
#include "apiserver/housekeeping/owner_index.h"
#include "apiserver/verbs/write.h"
#include "base/lifetime.h"
#include "store/store.h"

namespace muster::apiserver {

class Collector {
 public:
  /// `event_life` is how long an Event is kept after its last change.
  Collector(Context& context, Duration event_life) : context_(context), event_life_(event_life) {}
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  void start();

 private:
  struct Expiry {
    MonoTime due;
    store::Key key;
    store::Revision revision;
  };

  void load(const std::string& resource);
  void on_event(const store::Event& event);
  void enqueue(const store::Key& key);
  void work();
  void look_at(const store::Key& key);
  void look_at_owners(const store::Key& key, const OwnedObject& object);
  void finish_foreground(const store::Key& key, const OwnedObject& object);
  void finish_orphan(const store::Key& key, const OwnedObject& object);
  void empty_namespace(const store::Key& key);
  void report_what_remains(const store::Key& key);
  void drop_owners(const store::Key& key, const std::set<std::string>& uids);
  void drop_finalizer(const store::Key& key, const std::string& finalizer);
  void remove(const store::Key& key, const std::string& uid, bool foreground);

  /// Schedules a retry of a rejected change, unless the object is gone or an event of its latest change requeues it.
  void note(std::string_view what, const store::Key& key, const Error& error);
  OnStored noted(std::string_view what, const store::Key& key);

  void expire_later(const store::Key& key, store::Revision revision, Duration in);
  void await_expiry();
  void expire_due();
  void expire(const Expiry& expiry);

  struct Owner {
    store::Key key;
    OwnedObject object;
  };
  std::optional<OwnedObject> find(const store::Key& key) const;
  std::optional<Owner> find_owner(const OwnerLink& link, const std::string& ns) const;
  bool is_terminating(const std::string& ns) const;

  Context& context_;
  const Duration event_life_;
  OwnerIndex index_;
  std::vector<store::Store::Id> subscriptions_;
  std::deque<store::Key> queue_;
  std::set<store::Key> queued_;
  bool working_ = false;
  std::set<std::string> lingering_;  // terminating namespaces that will be checked again
  std::set<store::Key> again_;       // objects to retry after a rejected change
  Loop::Id again_timer_ = 0;
  std::deque<Expiry> expiries_;  // ordered by `due`; every event has the same lifetime
  Loop::Id expiry_timer_ = 0;
  Lifetime lifetime_;
};

}  // namespace muster::apiserver
