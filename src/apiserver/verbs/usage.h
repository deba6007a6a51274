// What pods and nodes use: metrics.k8s.io (now) and our own path for a pod's history.
#pragma once

#include "apiserver/context.h"
#include "apiserver/http/reply.h"
#include "apiserver/http/request.h"
#include "apiserver/http/router.h"
#include "client/metrics_api.h"

namespace muster::apiserver {

/// NodeMetrics and PodMetrics, which are not stored. Null `metrics`: nothing measures here.
void answer_usage(Context& context, client::MetricsApi* metrics, const ResourceRequest& request, const Reply& reply);

/// GET /apis/muster.dev/v1/namespaces/NS/pods/NAME/metrics?from=&to=&step=, also for pods that have ended or were
/// deleted. Times are RFC 3339 or seconds since 1970; the step is a duration or a number of seconds. Both references
/// stay valid as long as the route.
Route history_route(const Context& context, client::MetricsApi* const& metrics);

}  // namespace muster::apiserver
