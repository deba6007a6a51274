// The replicas of a job with all their attempts, also those whose pods are deleted, and also of a job that is deleted.
//
//   GET /apis/muster.dev/v1/namespaces/NS/jobs/RESOURCE.GROUP/NAME/pods?uid=
//
// The uid chooses among several jobs that have had the name; without it the newest is meant. The logs of the pods are
// at pods/NAME/attempts/N/log, what they used at pods/NAME/metrics, both with the pod's uid.
#pragma once

#include "apiserver/http/router.h"
#include "client/api_client.h"
#include "node/pod_history.h"

namespace muster::web {

/// Both outlive the requests of the route; the history may be null.
apiserver::Route job_pods_route(client::ApiClient& client, node::PodHistory* history);

}  // namespace muster::web
