// What people do to a job, each as the change of its object or the new object that it stands for (jobs/verbs.h).
//
//   POST /apis/muster.dev/v1/namespaces/NS/jobs/RESOURCE.GROUP/NAME/{pause,resume,stop,scale,rerun}
//
// The body of scale is {"replicas": N}, that of rerun may be {"name": NAME}. The answer is {"outcome": "paused"}, with
// the name of the new job after a rerun.
#pragma once

#include <vector>

#include "apiserver/http/router.h"
#include "net/http.h"

namespace muster::web {

/// With whose rights the requests to the API are made.
enum class ActsAs { kCaller, kTransport };

/// `api` outlives the requests of the routes.
std::vector<apiserver::Route> job_verb_routes(net::Transport& api, ActsAs who);

}  // namespace muster::web
