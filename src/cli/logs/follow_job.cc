#include "cli/logs/follow_job.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/objects/job_state.h"
#include "cli/output/waiting.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

// How long to wait for the last lines after a job has ended. Pods that keep running are not waited for any longer.
constexpr Duration kLastWords = 2s;

/// A job's end may be reported before that of its pods: list them once more, then read until all end or are quiet.
Session::Waited read_last_words(Session& session, LogFollower& follower, const FollowOptions& of) {
  client::ListOptions options;
  options.label_selector = of.label_selector;
  options.field_selector = of.field_selector;
  if (auto list = session.list({"", "v1", "pods"}, of.ns, options)) follower.look(*list);
  // A pod that has not ended may still be about to start, as ranks do that let the first one go ahead.
  const auto has_all = [&] { return follower.idle() && follower.all_ended(); };
  for (;;) {
    const MonoTime quiet = std::max(follower.last_activity(), session.loop().mono() - kLastWords + 1ms) + kLastWords;
    const auto waited = session.wait_until([&] { return has_all() || follower.failure(); }, quiet);
    if (waited != Session::Waited::kTimedOut) return waited;
    if (session.loop().mono() - follower.last_activity() >= kLastWords) return Session::Waited::kDone;
  }
}

int report_end(Session& session, const Selected& job, const json::Document& object, bool deleted) {
  switch (job_end(object)) {
    case JobEnd::kSucceeded:
      return kExitOk;
    case JobEnd::kFailed:
      return session.fail({.code = kExitFailed,
                           .what = fmt::format("{} failed", job.label()),
                           .why = job_message(object),
                           .fix = "muster describe " + job.short_label()});
    case JobEnd::kUnfinished:
      break;
  }
  return session.fail(
      {.code = kExitFailed, .what = fmt::format("{} {}", job.label(), deleted ? "was deleted" : "has not ended")});
}

}  // namespace

int follow_job(Session& session, const Selected& job, json::Document object, FollowOptions options) {
  const JobFollowed end = follow_until_end(session, job, std::move(object), std::move(options));
  if (end.interrupted) return kExitInterrupted;
  if (end.failure) return session.fail(*end.failure);
  return report_end(session, job, end.object, end.deleted);
}

JobFollowed follow_until_end(Session& session, const Selected& job, json::Document object, FollowOptions options) {
  if (options.label_selector.empty()) options.label_selector = pod_selector(job.kind.resource.group, job.name);
  options.ns = job.ns;
  options.owner_uid = object.string_at("metadata", "uid");
  options.job_name = job.name;
  JobFollowed out{.object = std::move(object)};
  LogFollower follower(session, options);
  WaitingLine line(session, job, WaitingLine::Until::kStarted);
  const auto saw = [&](const json::Document* now) {
    out.deleted = out.deleted || now == nullptr;
    if (now == nullptr) return;
    out.object = *now;
    line.saw(out.object);
  };
  LiveSink sink;
  sink.on_list = [&](const json::Document& list) {
    const json::Array found = list.array_at("items");
    saw(found.empty() ? nullptr : &found.front());
  };
  sink.on_event = [&](const std::string& type, const json::Document& now) { saw(type == "DELETED" ? nullptr : &now); };
  sink.on_failed = [&](const Error& error) { out.failure = error; };
  LiveList live(session, {.resource = job.kind.resource, .ns = job.ns, .field_selector = "metadata.name=" + job.name},
                std::move(sink));
  follower.start();
  live.start();
  const auto over = [&] {
    return out.deleted || out.failure || follower.failure() || job_end(out.object) != JobEnd::kUnfinished;
  };
  out.interrupted = session.wait_until(over) == Session::Waited::kInterrupted;
  if (!out.failure) out.failure = follower.failure();
  if (out.interrupted || out.failure) return out;
  out.interrupted = read_last_words(session, follower, options) == Session::Waited::kInterrupted;
  out.failure = follower.failure();
  return out;
}

}  // namespace muster::cli
