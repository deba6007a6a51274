// Follows the logs of all replicas of a job until the job ends, and reports how it ended.
#pragma once

#include "cli/logs/log_follow.h"
#include "cli/objects/selection.h"

namespace muster::cli {

/// `options` says how lines are shown; which pods are followed is known from the job. Returns the exit code: 0 when the
/// job succeeded, 1 when it failed or was deleted.
int follow_job(Session& session, const Selected& job, json::Document object, FollowOptions options);

}  // namespace muster::cli
