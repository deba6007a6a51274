#include "cli/logs/follow_job.h"

#include <fmt/core.h>

#include "cli/jobs/job_progress.h"
#include "cli/jobs/waiting.h"
#include "cli/logs/job_events.h"
#include "cli/logs/last_line.h"
#include "cli/logs/log_screen.h"
#include "cli/objects/object_state.h"
#include "cli/run/ran_job.h"
#include "client/logs/job_log_follower.h"
#include "jobs/pods.h"

namespace muster::cli {

namespace {

EndOfJob end_of(Session& session, const Selected& job, const json::Document& object) {
  const JobReached reached = reached_by_job(session, job);
  EndOfJob end{.name = job.name, .summary = jobs::summarise(object), .progress = reached.progress};
  end.has_curves = !reached.curves.empty() || !end.summary.tensorboard.empty();
  return end;
}

}  // namespace

int report_end(Session& session, const Selected& job, const json::Document& object, bool deleted) {
  switch (object_end(object)) {
    case ObjectEnd::kSucceeded:
      session.err(last_line(end_of(session, job, object)));
      return kExitOk;
    case ObjectEnd::kFailed: {
      const int code = session.fail({.code = kExitFailed,
                                     .what = fmt::format("{} failed", job.label()),
                                     .why = object_message(object),
                                     .fix = "muster describe " + job.short_label()});
      for (const std::string& hint : hints_about_job(session, object)) session.err(hint + "\n");
      return code;
    }
    case ObjectEnd::kStopped:
      return session.fail(
          {.code = kExitFailed, .what = fmt::format("{} was stopped", job.label()), .fix = "muster rerun " + job.name});
    case ObjectEnd::kUnfinished:
      break;
  }
  return session.fail(
      {.code = kExitFailed, .what = fmt::format("{} {}", job.label(), deleted ? "was deleted" : "has not ended")});
}

client::Prefix prefix_of(const Session& session) {
  return session.terminal().color ? client::Prefix::kColored : client::Prefix::kPlain;
}

int follow_job(Session& session, const Selected& job, json::Document object, client::FollowOptions options) {
  const JobFollowed end = follow_until_end(session, job, std::move(object), std::move(options), Events::kShown);
  if (end.interrupted) return kExitInterrupted;
  if (end.failure) return session.fail(*end.failure);
  return report_end(session, job, end.object, end.deleted);
}

JobFollowed follow_until_end(Session& session, const Selected& job, json::Document object,
                             client::FollowOptions options, Events shown) {
  if (options.label_selector.empty()) options.label_selector = jobs::pod_selector(job.kind.resource.group, job.name);
  options.ns = job.ns;
  options.label = [&job](const json::Document& pod) { return jobs::replica_label(pod, job.name); };
  LogScreen screen(session, options.raw ? LogScreen::Raw::kYes : LogScreen::Raw::kNo);
  options.on_state = [&screen](const client::LineOfRun& state) { screen.show(state); };
  const auto note = [&screen](std::string_view lines) { screen.note(lines); };
  WaitingLine line(session, job, WaitingLine::Until::kStarted, note);
  std::optional<JobEvents> events;
  if (shown == Events::kShown) events.emplace(session, job, object, note);
  client::JobToFollow followed{
      .resource = job.kind.resource,
      .name = job.name,
      .object = std::move(object),
      .has_ended = [](const json::Document& now) { return object_end(now) != ObjectEnd::kUnfinished; },
      .on_change = [&line](const json::Document& now) { line.saw(now); }};
  client::JobLogFollower follower(session.loop(), session.api(), std::move(followed), std::move(options),
                                  [&screen](std::string_view lines) { screen.print(lines); });
  follower.start();
  const auto waited = session.wait_until([&] { return follower.over(); });
  return {.object = follower.object(),
          .deleted = follower.deleted(),
          .interrupted = waited == Session::Waited::kInterrupted,
          .failure = follower.failure()};
}

}  // namespace muster::cli
