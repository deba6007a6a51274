// The logs of all ranks of a job as one, each line with its rank in front.
//
//   GET /apis/muster.dev/v1/namespaces/NS/jobs/RESOURCE.GROUP/NAME/log
//
// It takes the parameters of pods/NAME/log, which are then about each rank. Lines come in the order of their times;
// with `follow` as they are written, until the last of the pods that the job has now ends.
#pragma once

#include <memory>

#include "apiserver/http/router.h"
#include "base/ports.h"
#include "client/api_client.h"

namespace muster {

/// The client is made later than the route, and outlives its requests.
apiserver::Route job_log_route(Loop& loop, const std::unique_ptr<client::ApiClient>& client);

}  // namespace muster
