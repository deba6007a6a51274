// The logs of all ranks of a job as one, each line with its rank in front.
//
//   GET /apis/muster.dev/v1/namespaces/NS/jobs/RESOURCE.GROUP/NAME/log
//
// It takes the parameters of pods/NAME/log, which are then about each rank. Lines come in the order of their times;
// with `follow` as they are written, over restarts, until the job has ended.
#pragma once

#include "apiserver/http/router.h"
#include "base/ports.h"
#include "client/api_client.h"

namespace muster::web {

/// Both outlive the requests of the route.
apiserver::Route job_log_route(Loop& loop, client::ApiClient& client);

}  // namespace muster::web
