#include "main/pages/content_port.h"

#include <fmt/core.h>

#include "base/log.h"
#include "cli/connect/connect.h"

namespace muster {
namespace {

constexpr int kLastPort = 65535;

bool is_loopback(const std::string& host) {
  return host.starts_with("127.") || host == "::1" || host == "localhost";
}

}  // namespace

std::unique_ptr<net::HttpServer> make_content_server(net::EventLoop& loop, net::ServerTls tls, PageProxy& pages) {
  return std::make_unique<net::HttpServer>(
      loop, std::move(tls),
      [&pages](net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
        pages.handle(std::move(request), exchange);
      },
      net::ServerLimits{}, [&pages](const net::Request& head) { return pages.knows_sender(head); },
      &PageProxy::streams_body);
}

Result<int> listen_for_content(net::HttpServer& server, const Config& config, const Address& main, int main_port) {
  if (!config.content_listen.empty()) {
    TRY_ASSIGN(const Address address, parse_address(config.content_listen));
    auto port = server.listen(address.host, address.port);
    return port ? port : in_context("contentListen", port.error());
  }
  if (main.port != 0 && main_port < kLastPort) {
    auto next = server.listen(main.host, main_port + 1);
    if (next || next.error().reason != Reason::kAlreadyExists) return next;
    LOG_WARN("the port after the main one is taken, content is served on another; contentListen chooses which",
             {"taken", main_port + 1});
  }
  return server.listen(main.host, 0);
}

std::string browser_url(const std::string& host, const std::string& host_name, int port) {
  if (is_loopback(host)) return fmt::format("http://127.0.0.1:{}", port);
  const bool anywhere = host == "0.0.0.0" || host == "::";
  return cli::url_of({.host = anywhere ? host_name : host, .port = port});
}

std::string content_url(const Config& config, const Address& main, const std::string& host_name, int port) {
  const auto chosen = parse_address(config.content_listen);
  return browser_url(chosen ? chosen->host : main.host, host_name, port);
}

}  // namespace muster
