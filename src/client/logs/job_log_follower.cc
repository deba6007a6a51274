#include "client/logs/job_log_follower.h"

#include <algorithm>

#include "client/live_list.h"

namespace muster::client {
namespace {

using namespace std::chrono_literals;

// How long to wait for the last lines after a job has ended. Pods that keep running are not waited for any longer.
constexpr Duration kLastWords = 2s;

}  // namespace

struct JobLogFollower::State : std::enable_shared_from_this<JobLogFollower::State> {
  State(Loop& l, ApiClient& a, JobToFollow j, FollowOptions o, LogFollower::Out out)
      : loop(l), api(a), job(std::move(j)), options(std::move(o)), follower(loop, api, options, std::move(out)) {}

  Loop& loop;
  ApiClient& api;
  JobToFollow job;
  FollowOptions options;
  LogFollower follower;
  std::unique_ptr<LiveList> live;
  bool deleted = false;
  std::optional<MonoTime> ended_at;  // when the job was seen to have ended
  bool has_last_list = false;        // of its pods
  bool over = false;
  std::optional<Error> failure;

  void saw_job(const json::Document* now) {
    if (over) return;
    // Another job may have the name by now.
    const bool same = now != nullptr && now->string_at("metadata", "uid") == options.owner_uid;
    deleted = deleted || !same;
    if (same) {
      job.object = *now;
      if (job.on_change) job.on_change(job.object);
    }
    check();
  }

  void check() {
    if (over) return;
    if (!failure) failure = follower.failure();
    if (failure) return end();
    if (!ended_at && (deleted || job.has_ended(job.object))) return begin_last_words();
    // A pod that has not ended may still be about to start, as ranks do that let the first one go ahead.
    if (has_last_list && follower.idle() && follower.all_ended()) end();
  }

  /// A job's end may be reported before that of its pods: list them once more, then read until all end or are quiet.
  void begin_last_words() {
    ended_at = loop.mono();
    ListOptions which;
    which.label_selector = options.label_selector;
    which.field_selector = options.field_selector;
    api.list({"", "v1", "pods"}, options.ns, which, [weak = weak_from_this()](const Result<json::Document>& list) {
      const auto self = weak.lock();
      if (!self || self->over) return;
      if (list) self->follower.look(*list);
      self->has_last_list = true;
      self->wait_for_quiet();
      self->check();
    });
  }

  void wait_for_quiet() {
    const MonoTime quiet_at = std::max(*ended_at, follower.last_activity()) + kLastWords;
    loop.after(quiet_at - loop.mono(), [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self || self->over) return;
      const bool is_quiet = self->loop.mono() - self->follower.last_activity() >= kLastWords;
      is_quiet ? self->end() : self->wait_for_quiet();
    });
  }

  void end() {
    over = true;
    if (job.on_over) job.on_over();
  }
};

JobLogFollower::JobLogFollower(Loop& loop, ApiClient& api, JobToFollow job, FollowOptions options,
                               LogFollower::Out out) {
  options.owner_uid = job.object.string_at("metadata", "uid");
  state_ = std::make_shared<State>(loop, api, std::move(job), std::move(options), std::move(out));
}

JobLogFollower::~JobLogFollower() = default;

void JobLogFollower::start() {
  // The state owns the list and the follower, so their callbacks never outlive it and a plain pointer is safe.
  State* state = state_.get();
  LiveSink sink;
  sink.on_list = [state](const json::Document& list) {
    const json::Array& found = list.array_at("items");
    state->saw_job(found.empty() ? nullptr : &found.front());
  };
  sink.on_event = [state](const std::string& type, const json::Document& now) {
    state->saw_job(type == "DELETED" ? nullptr : &now);
  };
  sink.on_failed = [state](const Error& error) {
    state->failure = error;
    state->check();
  };
  state->live = std::make_unique<LiveList>(state->loop, state->api,
                                           LiveQuery{.resource = state->job.resource,
                                                     .ns = state->options.ns,
                                                     .field_selector = "metadata.name=" + state->job.name},
                                           std::move(sink));
  state->follower.start([state] { state->check(); });
  state->live->start();
  if (state->job.has_ended(state->job.object)) state->begin_last_words();
}

bool JobLogFollower::over() const {
  return state_->over;
}

const std::optional<Error>& JobLogFollower::failure() const {
  return state_->failure;
}

const json::Document& JobLogFollower::object() const {
  return state_->job.object;
}

bool JobLogFollower::deleted() const {
  return state_->deleted;
}

void JobLogFollower::pause(bool paused) {
  state_->follower.pause(paused);
}

}  // namespace muster::client
