#include "web/pages/page_transfer.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "web/pages/forward.h"

namespace muster::web {
namespace {

/// A program must not take the whole origin by a service worker: all pages share it.
net::Headers headers_for_browser(const net::Headers& received) {
  net::Headers headers;
  for (const auto& [name, value] : passed_on(received)) {
    if (to_lower(name) != "service-worker-allowed") headers.add(name, value);
  }
  return headers;
}

net::Headers headers_for_program(const net::Headers& received, const CookieJar& cookies,
                                 const std::string& authorization) {
  net::Headers headers = passed_on(received);
  if (!authorization.empty()) headers.set("Authorization", authorization);
  if (const std::string kept = cookies.header(); !kept.empty()) headers.set("Cookie", kept);
  return headers;
}

/// A program that does not listen yet is starting; one that answers nonsense runs.
void explain_failure(const std::string& program, const Error& error, net::Exchange& to) {
  if (error.reason == Reason::kServiceUnavailable) return respond_later(to, program + " is starting");
  if (error.reason == Reason::kConflict) {
    return respond_text(to, http_code(Reason::kBadGateway), fmt::format("{} is not shown: {}", program, error.message));
  }
  respond_text(to, http_code(error.reason),
               fmt::format("{} runs, but its answer cannot be shown: {}", program, error.message));
}

}  // namespace

void respond_text(net::Exchange& exchange, int status, std::string text, net::Headers headers) {
  net::Response response{.status = status, .headers = std::move(headers), .body = std::move(text) + "\n"};
  response.headers.set("Content-Type", "text/plain; charset=utf-8");
  response.headers.set("Cache-Control", "no-store");
  exchange.respond(std::move(response));
}

void respond_later(net::Exchange& exchange, std::string text) {
  respond_text(exchange, 503, std::move(text), {{"Refresh", "3"}, {"Retry-After", "3"}});
}

void pass_on(net::EventLoop& loop, const std::shared_ptr<PageUpstream>& upstream, const std::string& program,
             const std::string& authorization, net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
  request.headers = headers_for_program(request.headers, upstream->cookies, authorization);
  forward(
      loop, upstream->client, std::move(request), exchange,
      {.response_headers =
           [upstream](const net::Headers& received) {
             upstream->cookies.keep(received);
             return headers_for_browser(received);
           },
       .on_unreachable = [program](net::Exchange& to, const Error& error) { explain_failure(program, error, to); }});
}

}  // namespace muster::web
