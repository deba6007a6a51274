// POST /apis/muster.dev/v1/namespaces/NS/{tensorboards,notebooks}/NAME/link: a link that opens a page in a browser
// once, because the browser has no token, and the API sets no cookies.
#pragma once

#include <string>
#include <vector>

#include "apiserver/http/router.h"
#include "web/pages/page_access.h"
#include "web/pages/page_proxy.h"

namespace muster::web {

/// `pages_url` is the origin of the content port. The references outlive the requests of the routes.
std::vector<apiserver::Route> link_routes(const std::string& pages_url, PageAccess& access, const PageProxy& pages);

}  // namespace muster::web
