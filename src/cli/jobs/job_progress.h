// How far jobs are, as the engine says.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/connect/session.h"
#include "cli/objects/selection.h"
#include "jobs/progress.h"

namespace muster::cli {

/// Returns it for the newest jobs, by the uid of the job; nothing from a server that does not know. An empty `ns` means
/// all namespaces.
std::map<std::string, jobs::Progress> progress_of_jobs(Session& session, const std::string& ns);

/// A folder with event files for TensorBoard.
struct CurveFolder {
  std::string claim;
  std::string path;
};
struct JobReached {
  jobs::Progress progress;
  std::vector<CurveFolder> curves;
};
/// The same for one job, with the folders in which it has left curves.
JobReached reached_by_job(Session& session, const Selected& job);

}  // namespace muster::cli
