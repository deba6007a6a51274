// The parts of pods/NAME/log that are the same for every path that answers with a log.
#pragma once

#include <memory>

#include "apiserver/context/context.h"
#include "apiserver/http/request.h"
#include "net/http.h"
#include "node/node_api.h"

namespace muster::apiserver {

/// Completes the request, which names a pod, with what the query says.
Result<node::LogRequest> parse_log_query(const Query& query, node::LogRequest request, Time now);

/// Sends the log, and with `follow` what comes later.
void send_log(Context& context, const node::LogRequest& log, const std::shared_ptr<net::Exchange>& exchange);

}  // namespace muster::apiserver
