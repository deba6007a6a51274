// The last events, so that a watch can start in the past. One ring for all resources, bounded by number and by bytes;
// the oldest go first. Belongs to the loop thread.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "store/store.h"

namespace muster::store {

class History {
 public:
  /// Nothing is known of what happened up to `start`.
  History(Revision start, std::size_t max_events, std::size_t max_bytes)
      : floor_(start), max_events_(max_events), max_bytes_(max_bytes) {}

  void append(std::shared_ptr<const Event> event);

  /// Every event of the resource after `after`, in order. Expired when some of them may be gone.
  Status replay(const std::string& resource, Revision after,
                const std::function<void(const std::shared_ptr<const Event>&)>& visit) const;

  std::size_t size() const { return events_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  static std::size_t weight(const Event& event);

  std::deque<std::shared_ptr<const Event>> events_;  // by revision
  std::size_t bytes_ = 0;
  Revision floor_;  // every event after this one is here
  std::size_t max_events_;
  std::size_t max_bytes_;
};

}  // namespace muster::store
