#include "web/pages/content_port.h"

#include <fmt/core.h>

namespace muster::web {

std::unique_ptr<net::HttpServer> make_content_server(net::EventLoop& loop, net::ServerTls tls, PageProxy& pages) {
  return std::make_unique<net::HttpServer>(
      loop, std::move(tls),
      [&pages](net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
        pages.handle(std::move(request), exchange);
      },
      net::ServerLimits{}, [&pages](const net::Request& head) { return pages.knows_sender(head); },
      &PageProxy::streams_body);
}

std::string loopback_url(int port) {
  return fmt::format("http://127.0.0.1:{}", port);
}

}  // namespace muster::web
