// The beginning of a list of jobs that is sorted by age, for pages that show rows before they know all of them.
//
//   GET /apis/muster.dev/v1/[namespaces/NS/]jobs
//
// The newest jobs of all kinds, by name where they are equally old, up to `limit`; metadata.remainingItemCount says how
// many more there are. Each has its `summary` (jobs/summary.h). `fields`, with commas between them, leaves all other
// members out, and the summary unless it is one of them; `progress` among them adds how far the job is, as far as that
// is known within a second.
#pragma once

#include <memory>
#include <vector>

#include "apiserver/context/context.h"
#include "apiserver/http/router.h"
#include "client/api_client.h"
#include "web/jobs/progress_of_jobs.h"

namespace muster::web {

/// The context outlives the requests of the routes. Without `progress` nobody knows how far a job is.
std::vector<apiserver::Route> newest_jobs_routes(const apiserver::Context& context,
                                                 std::shared_ptr<ProgressOfJobs> progress = nullptr);
/// The same for the jobs of another server, which has to list all of them. `client` outlives the requests.
std::vector<apiserver::Route> newest_jobs_routes(client::ApiClient& client);

}  // namespace muster::web
