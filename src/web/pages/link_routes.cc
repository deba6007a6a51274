#include "web/pages/link_routes.h"

#include <fmt/core.h>

#include "apiserver/errors/status_error.h"
#include "base/strings.h"
#include "web/pages/page_name.h"

namespace muster::web {

std::vector<apiserver::Route> link_routes(const std::string& pages_url, PageAccess& access, const PageProxy& pages) {
  std::vector<apiserver::Route> routes;
  for (const PageKind& kind : page_kinds()) {
    const auto handle = [pages_url, &access, &pages, &kind](const apiserver::RoutedRequest& request,
                                                            const std::shared_ptr<net::Exchange>& exchange) {
      const std::string& ns = request.at.at("namespace");
      const std::string& name = request.at.at("name");
      const PageSubject page = pages.subject_of({.kind = &kind, .ns = ns, .name = name, .path = kind.path(ns, name)});
      if (page.uid.empty()) {
        return exchange->respond(apiserver::error_response(
            {.reason = Reason::kNotFound,
             .message = fmt::format("there is no {} {} in namespace {}", kind.kind, quote(name), quote(ns))}));
      }
      const std::string token = access.make_link_token(apiserver::user_name(request.sender), page);
      exchange->respond(page_link_response(pages_url + page.path + "?token=" + token));
    };
    routes.push_back(
        {.pattern = fmt::format("apis/muster.dev/v1/namespaces/{{namespace}}/{}/{{name}}/link", kind.plural),
         .methods = {"POST"},
         .handle = handle});
  }
  return routes;
}

}  // namespace muster::web
