// Follows the logs of the replicas of a job until the job ends, and reports how it ended.
#pragma once

#include <optional>

#include "cli/connect/session.h"
#include "cli/objects/selection.h"
#include "client/logs/log_follower.h"

namespace muster::cli {

/// Returns how the output shows which replica wrote a line.
client::Prefix prefix_of(const Session& session);

/// `options` says how lines are shown; which pods are followed is known from the job. Returns the exit code: 0 when the
/// job succeeded, 1 when it failed or was deleted.
int follow_job(Session& session, const Selected& job, json::Document object, client::FollowOptions options);

/// Prints how the job has ended and returns the exit code.
int report_end(Session& session, const Selected& job, const json::Document& object, bool deleted);

/// How following a job ended.
struct JobFollowed {
  json::Document object;  // the job's last version
  bool deleted = false;
  bool interrupted = false;
  std::optional<Error> failure = {};
};
/// The same without a report of how the job ended, for those of its pods that the selectors of `options` choose. An
/// empty label selector chooses all.
enum class Events { kNotShown, kShown };  // among the lines (job_events.h)
JobFollowed follow_until_end(Session& session, const Selected& job, json::Document object,
                             client::FollowOptions options, Events shown = Events::kNotShown);

}  // namespace muster::cli
