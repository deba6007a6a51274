// The most recent events, so that a watch can start in the past. One ring serves all resources, bounded by number,
// bytes and age; the oldest events are dropped first. The loop thread owns it.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "store/types.h"

namespace muster::store {

class History {
 public:
  struct Limits {
    std::size_t max_events = 0;
    std::size_t max_bytes = 0;
    Duration max_age = Duration::max();
    std::size_t events_of_any_age = 0;  // this many of the latest events are kept at any age
  };

  /// Events up to and including revision `start` are unknown.
  History(Revision start, const Limits& limits) : floor_(start), limits_(limits) {}

  void append(std::shared_ptr<const Event> event, MonoTime now);
  /// Drops events that exceed the limits now.
  void compact(MonoTime now);

  /// Visits the events of the resource after `after`, in order, until `visit` says false. Returns Expired when some of
  /// them may be gone.
  Status replay(const std::string& resource, Revision after,
                const std::function<bool(const std::shared_ptr<const Event>&)>& visit) const;

  std::size_t size() const { return events_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  static std::size_t weight(const Event& event);

  struct Kept {
    std::shared_ptr<const Event> event;
    MonoTime since;
  };
  std::deque<Kept> events_;  // in the order of revisions
  std::size_t bytes_ = 0;
  Revision floor_;  // every event after this revision is kept
  Limits limits_;
};

}  // namespace muster::store
