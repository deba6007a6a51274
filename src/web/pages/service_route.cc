#include "web/pages/service_route.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "apiserver/errors/status_error.h"
#include "base/strings.h"

namespace muster::web {
namespace {

/// A target in two parts, both as they were written.
struct Rest {
  std::string before;  // up to ".../proxy"
  std::string after;   // "/data/runs?x=1"; without the slash when the target ends there
};

Rest split_at_proxy(const std::string& target) {
  constexpr int kSegments = 7;
  std::size_t end = 0;
  for (int i = 0; i < kSegments; ++i) end = target.find_first_of("/?", end + 1);
  end = std::min(end, target.size());
  return {.before = target.substr(0, end), .after = target.substr(end)};
}

/// Returns nullopt for a port that TensorBoard does not have.
std::optional<PageName> page_of_service(const std::string& ns, const std::string& service) {
  const PageKind& kind = tensorboard_pages();
  const std::size_t colon = service.find(':');
  const std::string name = service.substr(0, colon);
  if (colon != std::string::npos && service.substr(colon + 1) != std::to_string(kind.port)) return std::nullopt;
  return PageName{.kind = &kind, .ns = ns, .name = name, .path = kind.path(ns, name)};
}

void answer(PageProxy& pages, apiserver::RoutedRequest request, const std::shared_ptr<net::Exchange>& exchange) {
  const std::string& service = request.at.at("service");
  const auto page = page_of_service(request.at.at("namespace"), service);
  if (!page) {
    const std::string what = fmt::format("services {} not found: only TensorBoards are served", quote(service));
    return exchange->respond(apiserver::error_response({.reason = Reason::kNotFound, .message = what}));
  }
  Rest rest = split_at_proxy(request.http.target);
  // Links in the page are relative to the slash.
  if (!rest.after.starts_with('/')) {
    return exchange->respond({.status = 308, .headers = {{"Location", rest.before + "/" + rest.after}}, .body = ""});
  }
  request.http.target = page->path + rest.after.substr(1);
  pages.show(*page, std::move(request.http), exchange);
}

}  // namespace

apiserver::Route service_route(PageProxy& pages) {
  return {.pattern = "api/v1/namespaces/{namespace}/services/{service}/proxy/{path...}",
          .methods = {"GET", "HEAD", "POST"},
          .handle = [&pages](apiserver::RoutedRequest request, const std::shared_ptr<net::Exchange>& exchange) {
            answer(pages, std::move(request), exchange);
          }};
}

}  // namespace muster::web
