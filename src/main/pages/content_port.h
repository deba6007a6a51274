// The content port: a second origin for what users' programs render (TensorBoard, notebooks), so that their scripts
// never run in the origin of the API and the console.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "main/config.h"
#include "main/pages/page_proxy.h"
#include "net/http_server.h"

namespace muster {

/// Listens for `pages`, which outlives the server.
std::unique_ptr<net::HttpServer> make_content_server(net::EventLoop& loop, net::ServerTls tls, PageProxy& pages);

/// Listens where the configuration says, else on the port after the main one, else on any free port. `main` has the
/// address that was asked for, whose port may be 0; `main_port` is the one in use. Returns the port.
Result<int> listen_for_content(net::HttpServer& server, const Config& config, const Address& main, int main_port);

/// Returns the origin of a port for links: plain HTTP where it listens on loopback, because a browser does not know our
/// certificate authority.
std::string browser_url(const std::string& host, const std::string& host_name, int port);
/// The same for the content port.
std::string content_url(const Config& config, const Address& main, const std::string& host_name, int port);

}  // namespace muster
