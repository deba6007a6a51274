// One request to a program in a pod: bodies stream in both directions, and an upgraded connection (WebSocket) carries
// bytes until either side ends it. A side that does not read makes the other one wait. Loop thread only.
#pragma once

#include <memory>
#include <string>

#include "net/event_loop.h"
#include "net/http_client.h"
#include "node/node_api.h"
#include "web/pages/cookie_jar.h"

namespace muster::web {

/// The program in one pod; its transfers keep it.
struct PageUpstream {
  PageUpstream(net::EventLoop& loop, const std::string& address, int port, node::PodSockets sockets)
      : client(loop, {.host = address,
                      .port = port,
                      .tls = false,
                      .open_socket = std::move(sockets.open),
                      .check_connection = std::move(sockets.check)}) {}
  net::HttpClient client;
  CookieJar cookies;
};

/// Passes the request on without the sender's credentials. `authorization` is the program's own, "" for none; `program`
/// is its name for people: while it does not listen, the answer is that it is starting.
void pass_on(net::EventLoop& loop, const std::shared_ptr<PageUpstream>& upstream, const std::string& program,
             const std::string& authorization, net::Request request, const std::shared_ptr<net::Exchange>& exchange);

/// A page that is not there yet; the browser tries again by itself.
void respond_later(net::Exchange& exchange, std::string text);
void respond_text(net::Exchange& exchange, int status, std::string text, net::Headers headers = {});

}  // namespace muster::web
