#include "web/pages/link_routes.h"

#include <fmt/core.h>

#include "web/pages/page_name.h"

namespace muster::web {

std::vector<apiserver::Route> link_routes(const std::string& pages_url, PageAccess& access) {
  std::vector<apiserver::Route> routes;
  for (const PageKind& kind : page_kinds()) {
    const auto handle = [pages_url, &access, &kind](const apiserver::RoutedRequest& request,
                                                    const std::shared_ptr<net::Exchange>& exchange) {
      const std::string page = kind.path(request.at.at("namespace"), request.at.at("name"));
      exchange->respond(page_link_response(pages_url + page + "?token=" + access.make_link_token(page)));
    };
    routes.push_back(
        {.pattern = fmt::format("apis/muster.dev/v1/namespaces/{{namespace}}/{}/{{name}}/link", kind.plural),
         .methods = {"POST"},
         .handle = handle});
  }
  return routes;
}

}  // namespace muster::web
