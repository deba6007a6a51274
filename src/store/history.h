// The last events, so that a watch can start in the past. One ring for all resources, bounded by number, bytes and age;
// the oldest go first. Belongs to the loop thread.
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
    std::size_t events_of_any_age = 0;  // so many of the last ones stay, however old
  };

  /// Nothing is known of what happened up to `start`.
  History(Revision start, const Limits& limits) : floor_(start), limits_(limits) {}

  void append(std::shared_ptr<const Event> event, MonoTime now);
  /// Drops what is over the limits now.
  void compact(MonoTime now);

  /// Every event of the resource after `after`, in order. Expired when some of them may be gone.
  Status replay(const std::string& resource, Revision after,
                const std::function<void(const std::shared_ptr<const Event>&)>& visit) const;

  std::size_t size() const { return events_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  static std::size_t weight(const Event& event);

  struct Kept {
    std::shared_ptr<const Event> event;
    MonoTime since;
  };
  std::deque<Kept> events_;  // by revision
  std::size_t bytes_ = 0;
  Revision floor_;  // every event after this one is here
  Limits limits_;
};

}  // namespace muster::store
