// The curves of a job: what its training has logged for TensorBoard, as JSON.
//
//   GET /apis/muster.dev/v1/namespaces/NS/jobs/RESOURCE.GROUP/NAME/scalars
#pragma once

#include <memory>

#include "agent/agent.h"
#include "apiserver/http/router.h"
#include "client/api_client.h"

namespace muster {

/// The parts are made later than the route, and outlive its requests.
apiserver::Route scalars_route(const std::unique_ptr<client::ApiClient>& client,
                               const std::unique_ptr<agent::Agent>& agent);

}  // namespace muster
