#include "store/history.h"

#include <fmt/core.h>

#include <algorithm>

namespace muster::store {

/// Approximates the memory that the event keeps alive; objects that are still current are counted too. An object that
/// has shrunk counts as it was: the event may be the last that has its previous bytes.
std::size_t History::weight(const Event& event) {
  const std::size_t previous = event.previous.bytes == nullptr ? 0 : event.previous.bytes->size();
  return sizeof(Event) + event.key.name.size() + std::max(event.entry.bytes->size(), previous);
}

void History::append(std::shared_ptr<const Event> event, MonoTime now) {
  bytes_ += weight(*event);
  events_.push_back({std::move(event), now});
  compact(now);
}

void History::compact(MonoTime now) {
  const auto is_over = [&] {
    if (events_.size() > limits_.max_events || bytes_ > limits_.max_bytes) return true;
    return events_.size() > limits_.events_of_any_age && now - events_.front().since > limits_.max_age;
  };
  while (!events_.empty() && is_over()) {
    bytes_ -= weight(*events_.front().event);
    floor_ = events_.front().event->entry.revision;
    events_.pop_front();
  }
}

Status History::replay(const std::string& resource, Revision after,
                       const std::function<bool(const std::shared_ptr<const Event>&)>& visit) const {
  if (after < floor_) {
    Error error;
    error.reason = Reason::kExpired;
    error.message = fmt::format("too old resource version: {} ({})", after, floor_);  // the text of kube-apiserver
    return error;
  }
  const auto first =
      std::ranges::upper_bound(events_, after, {}, [](const Kept& kept) { return kept.event->entry.revision; });
  for (auto kept = first; kept != events_.end(); ++kept) {
    if (kept->event->key.resource == resource && !visit(kept->event)) break;
  }
  return ok();
}

}  // namespace muster::store
