// The logs of all ranks of a job as one, each line with its rank in front.
//
//   GET /apis/muster.dev/v1/namespaces/NS/jobs/RESOURCE.GROUP/NAME/log
//
// It takes the parameters of pods/NAME/log, which are then about each rank. Lines come in the order of their times;
// with `follow` as they are written, over restarts, until the job has ended. The logs of pods that are deleted are part
// of it while they are kept, also those of a deleted job: the newest of the name, or the one that `uid` names.
// `attempt` asks for an earlier attempt of all ranks.
#pragma once

#include "apiserver/http/router.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "node/pod_history.h"

namespace muster::web {

/// All outlive the requests of the route; the history may be null.
apiserver::Route job_log_route(Loop& loop, client::ApiClient& client, node::PodHistory* history);

}  // namespace muster::web
