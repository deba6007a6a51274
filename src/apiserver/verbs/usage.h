// What pods and nodes use now: metrics.k8s.io.
#pragma once

#include "apiserver/context/context.h"
#include "apiserver/http/reply.h"
#include "apiserver/http/request.h"
#include "node/metrics_api.h"

namespace muster::apiserver {

/// NodeMetrics and PodMetrics, which are not stored. Null `metrics`: nothing measures here.
void answer_usage(Context& context, node::MetricsApi* metrics, const ResourceRequest& request, const Reply& reply);

}  // namespace muster::apiserver
