// A TensorBoard for the curves that a job has left without saying where.
#pragma once

#include "cli/connect/session.h"
#include "cli/jobs/find_job.h"

namespace muster::cli {

/// Creates one that belongs to the job and shows the folders in which the engine has found its event files. Returns
/// null when it has found none.
Result<json::Document> make_tensorboard_of_curves(Session& session, const FoundJob& job);

}  // namespace muster::cli
