// The content port: a second origin for what users' programs render (TensorBoard, notebooks), so that their scripts
// never run in the origin of the API and the console.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "main/config.h"
#include "net/http_server.h"

namespace muster {

std::unique_ptr<net::HttpServer> make_content_server(net::EventLoop& loop, net::ServerTls tls);

/// Listens where the configuration says, else on the port after the main one, else on any free port. `main` has the
/// address that was asked for, whose port may be 0; `main_port` is the one in use. Returns the port.
Result<int> listen_for_content(net::HttpServer& server, const Config& config, const Address& main, int main_port);

}  // namespace muster
