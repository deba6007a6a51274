#include "store/history.h"

#include <fmt/core.h>

#include <algorithm>

namespace muster::store {

/// Near enough to what the event keeps alive; an object that is still current is counted too.
std::size_t History::weight(const Event& event) {
  return sizeof(Event) + event.key.name.size() + event.entry.bytes->size();
}

void History::append(std::shared_ptr<const Event> event) {
  bytes_ += weight(*event);
  events_.push_back(std::move(event));
  while (!events_.empty() && (events_.size() > max_events_ || bytes_ > max_bytes_)) {
    bytes_ -= weight(*events_.front());
    floor_ = events_.front()->entry.revision;
    events_.pop_front();
  }
}

Status History::replay(const std::string& resource, Revision after,
                       const std::function<void(const std::shared_ptr<const Event>&)>& visit) const {
  if (after < floor_) {
    Error error;
    error.reason = Reason::kExpired;
    error.message = fmt::format("too old resource version: {} ({})", after, floor_);  // kube-apiserver's words
    return error;
  }
  const auto first =
      std::ranges::upper_bound(events_, after, {}, [](const auto& event) { return event->entry.revision; });
  for (auto event = first; event != events_.end(); ++event) {
    if ((*event)->key.resource == resource) visit(*event);
  }
  return ok();
}

}  // namespace muster::store
