// The curves of a job: what its training has logged for TensorBoard, as JSON.
//
//   GET /apis/muster.dev/v1/namespaces/NS/jobs/RESOURCE.GROUP/NAME/scalars
#pragma once

#include "apiserver/http/router.h"
#include "client/api_client.h"
#include "node/claim_files.h"
#include "node/progress_source.h"

namespace muster::web {

/// Both outlive the requests of the route.
apiserver::Route scalars_route(client::ApiClient& client, node::ClaimFiles& files, node::ProgressSource& source);

}  // namespace muster::web
