// What a pod has used over time, also for pods that have ended or were deleted.
//
//   GET /apis/muster.dev/v1/namespaces/NS/pods/NAME/metrics?from=&to=&step=&uid=
//
// The uid names one of the pods that have had the name; without it the newest is meant. Times are RFC 3339 or seconds
// since 1970; the step is a duration or a number of seconds.
#pragma once

#include "apiserver/context/context.h"
#include "apiserver/http/router.h"
#include "node/metrics_api.h"

namespace muster::web {

/// Both outlive the requests of the route.
apiserver::Route metrics_route(const apiserver::Context& context, const node::MetricsApi& metrics);

}  // namespace muster::web
