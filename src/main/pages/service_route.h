// The path of Kubernetes' API under which a server passes requests on to a Service, for those of TensorBoards that
// Arena makes: api/v1/namespaces/NS/services/NAME:PORT/proxy/. So a client that reaches the API also reaches the page.
#pragma once

#include <functional>

#include "apiserver/http/router.h"
#include "main/pages/page_proxy.h"

namespace muster {

/// `pages` is asked for at each request, because the API server is made first.
apiserver::Route service_route(std::function<PageProxy&()> pages);

}  // namespace muster
