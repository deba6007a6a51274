// The path of Kubernetes' API under which a server passes requests on to a Service, for those of TensorBoards that
// Arena makes: api/v1/namespaces/NS/services/NAME:PORT/proxy/. So a client that reaches the API also reaches the page.
#pragma once

#include "apiserver/http/router.h"
#include "web/pages/page_proxy.h"

namespace muster::web {

/// `pages` outlives the requests of the route.
apiserver::Route service_route(PageProxy& pages);

}  // namespace muster::web
