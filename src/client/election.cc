#include "client/election.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/clamped_seconds.h"

namespace muster::client {

namespace {

Error wrong_times(std::string message) {
  return {.reason = Reason::kBadRequest, .message = std::move(message)};
}

std::int64_t whole_seconds(Duration duration) {
  return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(duration).count());
}

}  // namespace

Status check_election_times(const ElectionTimes& times) {
  if (times.retry_period <= Duration(0)) {
    return wrong_times(
        fmt::format("--retry-period: must be more than 0s, got {}; write 2s", human_duration(times.retry_period)));
  }
  if (times.renew_deadline <= 2 * times.retry_period) {
    return wrong_times(fmt::format("--renew-deadline: must be more than twice --retry-period ({}), got {}; raise it",
                                   human_duration(times.retry_period), human_duration(times.renew_deadline)));
  }
  if (times.lease_duration <= times.renew_deadline || times.lease_duration < std::chrono::seconds(1)) {
    return wrong_times(fmt::format("--lease-duration: must be more than --renew-deadline ({}), got {}; raise it",
                                   human_duration(times.renew_deadline), human_duration(times.lease_duration)));
  }
  return ok();
}

Election::Step Election::next(MonoTime mono, Time now) const {
  if (!view_) return {.move = Move::kRead};
  if (view_->is_null()) return {.move = Move::kCreate, .lease = claim(json::Object{}, now)};
  const auto end = expires();
  if (end && mono < *end) return {.move = Move::kWait};
  return {.move = Move::kUpdate, .lease = claim(*view_, now)};
}

std::optional<MonoTime> Election::expires() const {
  if (holder_.empty() || holder_ == identity_) return std::nullopt;
  return recorded_ + clamped_seconds(record_.int_at("leaseDurationSeconds"));
}

json::Document Election::claim(json::Document lease, Time now) const {
  const bool renews = holder_ == identity_;
  const std::int64_t transitions = lease.is_null() ? 0 : lease.int_at("spec", "leaseTransitions");
  const std::string text = format_rfc3339_micro(now);
  const bool exists = lease.at("metadata", "resourceVersion") != nullptr;
  if (lease.at("spec") == nullptr) lease["spec"] = json::Object{};
  json::Document& spec = lease["spec"];
  spec["holderIdentity"] = identity_;
  spec["leaseDurationSeconds"] = whole_seconds(times_.lease_duration);
  if (!renews) spec["acquireTime"] = text;
  spec["renewTime"] = text;
  spec["leaseTransitions"] = transitions + (exists && !renews ? 1 : 0);
  return lease;
}

void Election::was_read(const Result<json::Document>& lease, MonoTime mono) {
  if (lease) return note(*lease, mono);
  view_.reset();
  if (lease.error().reason != Reason::kNotFound) return;
  view_ = json::Document(nullptr);
  record_ = nullptr;
  holder_.clear();
}

void Election::was_written(const Result<json::Document>& lease, MonoTime sent) {
  if (!lease) {
    // Somebody was faster, or nobody knows whether it was written: the next try reads it.
    view_.reset();
    return;
  }
  note(*lease, sent);
  leads_ = holder_ == identity_;
  renewed_ = sent;
}

void Election::note(const json::Document& lease, MonoTime mono) {
  view_ = lease;
  const json::Document* spec = lease.find("spec");
  const json::Document record = spec == nullptr ? json::Document(json::Object{}) : *spec;
  if (!(record == record_)) {
    record_ = record;
    recorded_ = mono;
  }
  holder_ = record_.string_at("holderIdentity");
  if (holder_ != identity_) leads_ = false;
}

std::optional<json::Document> Election::released(Time now) const {
  if (!leads_ || !view_ || view_->is_null()) return std::nullopt;
  json::Document lease = *view_;
  json::Document& spec = lease["spec"];
  spec.as_object().erase("holderIdentity");
  spec["leaseDurationSeconds"] = 1;
  spec["acquireTime"] = format_rfc3339_micro(now);
  spec["renewTime"] = format_rfc3339_micro(now);
  return lease;
}

}  // namespace muster::client
