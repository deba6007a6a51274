// One request to a server of this machine, over a connection of its own, as a browser would send it.
#pragma once

#include <string>
#include <utility>

#include "net/event_loop.h"
#include "net/http_client.h"

namespace muster::testing {

inline net::Response ask_over_http(net::EventLoop& loop, int port, net::Request request) {
  net::Response answer;
  bool ended = false;
  net::ResponseSink sink;
  sink.on_head = [&](int status, const net::Headers& headers) {
    answer.status = status;
    answer.headers = headers;
  };
  sink.on_data = [&](std::string_view bytes) { answer.body += bytes; };
  sink.on_end = [&](const Status&) { ended = true; };
  net::HttpClient client(loop, {.host = "127.0.0.1", .port = port, .tls = false});
  const auto call = client.send(std::move(request), std::move(sink));
  loop.run_until([&] { return ended; });
  return answer;
}

}  // namespace muster::testing
