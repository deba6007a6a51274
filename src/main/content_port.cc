#include "main/content_port.h"

#include <fmt/core.h>

#include "base/log.h"

namespace muster {
namespace {

constexpr int kLastPort = 65535;

void refuse(const net::Request&, const std::shared_ptr<net::Exchange>& exchange) {
  net::Response response{.status = 404,
                         .body =
                             "This port shows what programs in pods render, such as TensorBoard. Nothing is "
                             "shown under this path; the API is on the main port.\n"};
  response.headers.set("Content-Type", "text/plain; charset=utf-8");
  exchange->respond(std::move(response));
}

}  // namespace

std::unique_ptr<net::HttpServer> make_content_server(net::EventLoop& loop, net::ServerTls tls) {
  // Nobody is known here, so no body is read and few connections are kept.
  return std::make_unique<net::HttpServer>(loop, std::move(tls), refuse, net::ServerLimits{},
                                           [](const net::Request&) { return false; });
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

}  // namespace muster
