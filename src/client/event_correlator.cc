#include "client/event_correlator.h"

#include <fmt/core.h>

#include <algorithm>

namespace muster::client {

std::optional<EventToWrite> EventCorrelator::correlate(const api::ObjectReference& about, const std::string& type,
                                                       const std::string& reason, const std::string& message,
                                                       MonoTime now) {
  forget_some(now);
  const std::string object = fmt::format("{}\n{}", about.kind, about.uid);
  if (!take_token(object, now)) return std::nullopt;
  const std::string group = fmt::format("{}\n{}\n{}", object, type, reason);
  const auto [found, is_new] = similar_.try_emplace(group);
  Similar& similar = found->second;
  if (!is_new && now - similar.last > kWindow) similar.messages.clear();
  similar.last = now;
  similar.messages.insert(message);
  if (similar.messages.size() < kMostMessages) return EventToWrite{group + "\n" + message, message};
  similar.messages.erase(message);  // the set does not grow, and earlier messages keep their own Events
  return EventToWrite{group, "(combined from similar events): " + message};
}

bool EventCorrelator::take_token(const std::string& object, MonoTime now) {
  const auto [found, is_new] = buckets_.try_emplace(object);
  Bucket& bucket = found->second;
  if (!is_new) {
    const std::chrono::duration<double> passed = now - bucket.last;
    const std::chrono::duration<double> refill = kRefill;
    bucket.tokens = std::min(kBurst, bucket.tokens + passed / refill);
  }
  bucket.last = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

/// First forgets what no longer has an effect. If that is not enough, forgets everything, and some folding is lost.
void EventCorrelator::forget_some(MonoTime now) {
  if (similar_.size() >= kMostRemembered) {
    std::erase_if(similar_, [&](const auto& entry) { return now - entry.second.last > kWindow; });
    if (similar_.size() >= kMostRemembered) similar_.clear();
  }
  if (buckets_.size() >= kMostRemembered) {
    std::erase_if(buckets_, [&](const auto& entry) {
      return now - entry.second.last > (kBurst - entry.second.tokens) * kRefill;
    });
    if (buckets_.size() >= kMostRemembered) buckets_.clear();
  }
}

}  // namespace muster::client
