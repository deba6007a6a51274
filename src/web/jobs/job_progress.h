// How far jobs are (jobs/progress.h), as the replica says that decides about them.
#pragma once

#include "apiserver/api_server.h"
#include "client/api_client.h"
#include "jobs/progress.h"
#include "node/progress_source.h"

namespace muster::web {

/// Reads it from the log. `job` is a stored object. Reads a few KiB, whatever the job has written.
jobs::Progress progress_in_log(const apiserver::Context& context, node::ProgressSource& source,
                               const json::Document& job);

/// GET …/jobs/RESOURCE.GROUP/NAME/progress: by the event files of the job and, where they do not say, by its log; and
/// the folders with those files, as `curves`. What is named outlives the requests.
apiserver::Route progress_route(const apiserver::Context& context, client::ApiClient& client,
                                node::ProgressSource& source);

}  // namespace muster::web
