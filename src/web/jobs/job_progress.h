// How far jobs are (jobs/progress.h): as their event files say and, where these do not, the log of the replica that
// decides. Its pod may be gone, by clean-up for example, while its log is kept.
#pragma once

#include "apiserver/api_server.h"
#include "client/api_client.h"
#include "jobs/progress.h"
#include "node/pod_history.h"
#include "node/progress_source.h"
#include "web/jobs/found_curves.h"

namespace muster::web {

/// What the search for a job's progress needs. All of it outlives the search.
struct ProgressFrom {
  const apiserver::Context& context;
  client::ApiClient& client;
  node::ProgressSource& source;
  node::PodHistory* history = nullptr;
};

struct JobProgress {
  jobs::Progress progress;
  std::vector<FoundCurves::Folder> curves;  // the folders with its event files
};

/// Reads a limited number of files, off the loop. `job` is a stored object. `done` is called once, never inline.
void find_progress(const ProgressFrom& from, json::Document job, UniqueFunction<void(JobProgress)> done);

/// GET …/jobs/RESOURCE.GROUP/NAME/progress, with the folders as `curves`. What is named outlives the requests.
apiserver::Route progress_route(const ProgressFrom& from);

}  // namespace muster::web
