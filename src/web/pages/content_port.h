// The content port: a second origin for what users' programs render (TensorBoard, notebooks), so that their scripts
// never run in the origin of the API and the console.
#pragma once

#include <memory>
#include <string>

#include "net/http_server.h"
#include "web/pages/page_proxy.h"

namespace muster::web {

/// Listens for `pages`, which outlives the server.
std::unique_ptr<net::HttpServer> make_content_server(net::EventLoop& loop, net::ServerTls tls, PageProxy& pages);

/// Returns the origin of a port on loopback for links: plain HTTP, because a browser does not know our certificate
/// authority.
std::string loopback_url(int port);

}  // namespace muster::web
