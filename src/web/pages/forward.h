// Passes a request on to another server and its response back, both as they arrive: bodies of any size, and after an
// upgrade whatever a WebSocket carries. A slow side makes the other one wait.
#pragma once

#include <memory>

#include "base/ports.h"
#include "base/unique_function.h"
#include "net/http.h"

namespace muster::web {

/// The headers without those about one connection and those with credentials. What asks for an upgrade stays.
net::Headers passed_on(const net::Headers& headers);

/// The same for a browser's request to an API server, without what the browser says about itself and its login here.
net::Headers passed_on_to_api(const net::Headers& headers);

struct ForwardOptions {
  /// Makes the headers of the response; passed_on() when null.
  UniqueFunction<net::Headers(const net::Headers&)> response_headers = nullptr;
  /// Called instead of a response when the other server gives none.
  UniqueFunction<void(net::Exchange&, const Error&)> on_unreachable;
};

/// `request` goes out as it is, so the caller decides about its headers. `loop` and `to` outlive the transfer.
void forward(Loop& loop, net::Transport& to, net::Request request, const std::shared_ptr<net::Exchange>& exchange,
             ForwardOptions options);

}  // namespace muster::web
