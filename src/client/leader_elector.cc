#include "client/leader_elector.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace muster::client {

namespace {

constexpr Duration kLongestRelease = std::chrono::seconds(2);

ResourceName lease_resource() {
  return {"coordination.k8s.io", "v1", "leases"};
}

}  // namespace

LeaderElector::LeaderElector(Loop& loop, Rng& rng, net::Transport& transport, Options options, Events events)
    : loop_(loop),
      rng_(rng),
      transport_(transport),
      options_(std::move(options)),
      events_(std::move(events)),
      election_(options_.identity, options_.times) {}

LeaderElector::~LeaderElector() {
  for (const Loop::Id timer : {retry_timer_, answer_timer_, deadline_timer_}) loop_.cancel(timer);
}

void LeaderElector::start() {
  attempt();
}

bool LeaderElector::leads() const {
  return !over_ && election_.leads() && loop_.mono() < election_.deadline();
}

ObjectName LeaderElector::name() const {
  return {.resource = lease_resource(), .ns = options_.ns, .name = options_.lease};
}

void LeaderElector::attempt() {
  client_.emplace(transport_, "");
  client_->act_as(options_.manager);
  // A server that is cut off answers nothing at all; there must be time for another try before the deadline.
  loop_.cancel(answer_timer_);
  answer_timer_ = loop_.after(options_.times.renew_deadline / 2, lifetime_.guard([this] {
    client_.reset();
    election_.was_dropped();
    end_try(Error{.reason = Reason::kTimeout, .message = "the API server does not answer"});
  }));
  perform(election_.next(loop_.mono(), loop_.now()));
}

void LeaderElector::perform(Election::Step step) {
  switch (step.move) {
    case Election::Move::kRead:
      return read();
    case Election::Move::kCreate:
    case Election::Move::kUpdate:
      return write(step.move, step.lease);
    case Election::Move::kWait:
      election_.was_dropped();  // the next try has to see whether the holder has renewed it
      return end_try(ok());
  }
}

void LeaderElector::read() {
  client_->get(name(), lifetime_.guard([this](const Result<json::Document>& lease) {
    const bool led = election_.leads();
    election_.was_read(lease, loop_.mono());
    judge(led);
    if (over_) return;
    if (!lease && lease.error().reason != Reason::kNotFound) return end_try(lease.error());
    perform(election_.next(loop_.mono(), loop_.now()));
  }));
}

void LeaderElector::write(Election::Move move, const json::Document& lease) {
  OnDocument done = lifetime_.guard([this, sent = loop_.mono()](const Result<json::Document>& written) {
    const bool led = election_.leads();
    election_.was_written(written, sent);
    judge(led);
    if (over_) return;
    const bool was_slower =
        !written && (written.error().reason == Reason::kConflict || written.error().reason == Reason::kAlreadyExists);
    end_try(written || was_slower ? ok() : Status(written.error()));
  });
  if (move == Election::Move::kUpdate) return client_->update(name(), lease, {}, std::move(done));
  json::Document fresh = lease;
  fresh["apiVersion"] = "coordination.k8s.io/v1";
  fresh["kind"] = "Lease";
  fresh["metadata"] = json::Object{{"name", options_.lease}, {"namespace", options_.ns}};
  client_->create(lease_resource(), options_.ns, fresh, {}, std::move(done));
}

/// Tells what has changed with the last answer.
void LeaderElector::judge(bool led) {
  if (led && !election_.leads()) return lose("the Lease is held by " + election_.holder());
  if (election_.leads()) set_deadline();
  if (election_.holder() != told_holder_) {
    told_holder_ = election_.holder();
    if (!election_.leads() && !told_holder_.empty()) {
      LOG_INFO("another operator leads; waiting for its Lease", {"namespace", options_.ns}, {"lease", options_.lease},
               {"holder", told_holder_});
    }
  }
  if (led || !election_.leads()) return;
  LOG_INFO("leading", {"namespace", options_.ns}, {"lease", options_.lease}, {"identity", options_.identity});
  events_.on_elected();
}

void LeaderElector::end_try(const Status& status) {
  loop_.cancel(answer_timer_);
  note_problem(status);
  retry_timer_ = loop_.after(pause(), lifetime_.guard([this] { attempt(); }));
}

void LeaderElector::note_problem(const Status& status) {
  const std::string now = status ? "" : status.error().message;
  if (now == problem_) return;
  problem_ = now;
  if (now.empty()) {
    LOG_INFO("the Lease can be read again", {"namespace", options_.ns}, {"lease", options_.lease});
  } else {
    LOG_WARN("cannot read or write the Lease, trying again", {"namespace", options_.ns}, {"lease", options_.lease},
             {"error", now});
  }
}

/// Those who wait come at different times, so that they do not all try at once, and early enough for a Lease that ends.
Duration LeaderElector::pause() const {
  const Duration period = options_.times.retry_period;
  if (election_.leads()) return period;
  const Duration spread = period - period / 4 * static_cast<int>(rng_.next() % 1024) / 1024;
  const auto end = election_.expires();
  if (!end) return spread;
  return std::min(spread, std::max<Duration>(*end - loop_.mono(), std::chrono::milliseconds(1)));
}

void LeaderElector::set_deadline() {
  loop_.cancel(deadline_timer_);
  deadline_timer_ = loop_.after(std::max(Duration(0), election_.deadline() - loop_.mono()), lifetime_.guard([this] {
    lose(fmt::format("the Lease could not be renewed within {}{}", human_duration(options_.times.renew_deadline),
                     problem_.empty() ? "" : ": " + problem_));
  }));
}

void LeaderElector::lose(const std::string& why) {
  if (over_) return;
  over_ = true;
  for (const Loop::Id timer : {retry_timer_, answer_timer_, deadline_timer_}) loop_.cancel(timer);
  events_.on_lost(why);
}

void LeaderElector::stop(Task done) {
  over_ = true;
  for (const Loop::Id timer : {retry_timer_, answer_timer_, deadline_timer_}) loop_.cancel(timer);
  if (!election_.leads()) {
    client_.reset();
    return loop_.post(std::move(done));
  }
  released_ = std::move(done);
  answer_timer_ = loop_.after(kLongestRelease, lifetime_.guard([this] { end_release(); }));
  client_.emplace(transport_, "");  // drops a renewal that is under way; the server may still have done it
  client_->act_as(options_.manager);
  release();
}

void LeaderElector::release() {
  if (!election_.leads()) return end_release();
  if (const auto lease = election_.released(loop_.now())) {
    return client_->update(name(), *lease, {}, lifetime_.guard([this](const Result<json::Document>& released) {
      if (released) return end_release();
      election_.was_written(released, loop_.mono());
      if (released.error().reason == Reason::kConflict) return release();
      LOG_WARN("Lease not released; it expires by itself", {"error", released.error().message});
      end_release();
    }));
  }
  client_->get(name(), lifetime_.guard([this](const Result<json::Document>& lease) {
    election_.was_read(lease, loop_.mono());
    lease ? release() : end_release();
  }));
}

void LeaderElector::end_release() {
  loop_.cancel(answer_timer_);
  if (released_) std::exchange(released_, Task())();
}

}  // namespace muster::client
