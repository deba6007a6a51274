#include "web/pages/forward.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/strings.h"

namespace muster::web {
namespace {

// Beyond this, a slow reader makes the sender wait.
constexpr std::size_t kMostUnsentEachWay = 1024 * 1024;
constexpr std::size_t kEnoughSent = 256 * 1024;

bool is_passed_on(std::string_view name) {
  constexpr std::array<std::string_view, 11> kKept = {"keep-alive",
                                                      "transfer-encoding",
                                                      "te",
                                                      "trailer",
                                                      "proxy-authenticate",
                                                      "proxy-connection",
                                                      "proxy-authorization",
                                                      "content-length",
                                                      "authorization",
                                                      "cookie",
                                                      "set-cookie"};
  return std::ranges::find(kKept, to_lower(name)) == kKept.end();
}

/// Returns the headers that Connection names, in lower case: they are about this connection only (RFC 9110, 7.6.1).
std::set<std::string> named_by_connection(const net::Headers& headers) {
  std::set<std::string> names;
  for (const auto& [name, value] : headers) {
    if (to_lower(name) != "connection") continue;
    for (const std::string& word : split(value, ',')) names.insert(to_lower(trim(word)));
  }
  return names;
}

/// Kubernetes' clients may send a token as one of the protocols of a WebSocket.
std::string without_tokens(std::string_view protocols) {
  std::vector<std::string> offered;
  for (const std::string& one : split(protocols, ',')) {
    if (!trim(one).starts_with("base64url.bearer.")) offered.emplace_back(trim(one));
  }
  return join(offered, ", ");
}

/// One request on its way through; it ends when either side does.
class Transfer : public std::enable_shared_from_this<Transfer> {
 public:
  Transfer(Loop& loop, std::shared_ptr<net::Exchange> exchange, ForwardOptions options)
      : loop_(loop), exchange_(std::move(exchange)), options_(std::move(options)) {}

  void start(net::Transport& to, net::Request request) {
    method_ = request.method;
    const bool streams_body = request.streams_body;
    net::ResponseSink sink;
    sink.on_head = [self = shared_from_this()](int status, const net::Headers& headers) {
      self->on_head(status, headers);
    };
    sink.on_data = [self = shared_from_this()](std::string_view bytes) { self->to_client(bytes); };
    sink.on_end = [self = shared_from_this()](const Status& ended) { self->on_end(ended); };
    exchange_->on_gone([self = shared_from_this()] { self->call_.reset(); });
    call_ = to.send(std::move(request), std::move(sink));
    if (streams_body) read_input();
  }

 private:
  void on_head(int status, const net::Headers& received) {
    net::Headers headers = options_.response_headers ? options_.response_headers(received) : passed_on(received);
    if (status == 204 || status == 304) {
      response_ = Response::kComplete;
      return exchange_->respond({.status = status, .headers = std::move(headers), .body = ""});
    }
    // The length of a body that HEAD leaves out is all that tells it.
    if (method_ == "HEAD" && received.has("Content-Length")) {
      headers.set("Content-Length", std::string(received.get("Content-Length")));
    }
    response_ = Response::kStreams;
    exchange_->begin(status, std::move(headers));
    if (status == 101) read_input();
  }

  /// The body of the request, or what the client sends after an upgrade.
  void read_input() {
    exchange_->read_input({.on_data = [self = shared_from_this()](std::string_view bytes) { self->to_server(bytes); },
                           .on_end =
                               [self = shared_from_this()] {
                                 if (self->call_ != nullptr) self->call_->finish();
                               }});
  }

  void to_client(std::string_view bytes) {
    exchange_->write(std::make_shared<const std::string>(bytes));
    if (exchange_->unsent() <= kMostUnsentEachWay || call_ == nullptr) return;
    call_->pause_input();
    exchange_->when_room(kEnoughSent, [weak = weak_from_this()] {
      if (const auto self = weak.lock(); self && self->call_ != nullptr) self->call_->resume_input();
    });
  }

  void to_server(std::string_view bytes) {
    if (call_ == nullptr) return;
    call_->write(std::make_shared<const std::string>(bytes));
    if (call_->unsent() <= kMostUnsentEachWay) return;
    exchange_->pause_input();
    call_->when_room(kEnoughSent, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->exchange_->resume_input();
    });
  }

  void on_end(const Status& ended) {
    switch (response_) {
      case Response::kNone:
        options_.on_unreachable(
            *exchange_, ended ? Error{.reason = Reason::kServiceUnavailable, .message = "no response"} : ended.error());
        break;
      case Response::kStreams:
        ended ? exchange_->finish() : exchange_->abort();
        break;
      case Response::kComplete:
        break;
    }
    // A call must not be destroyed inside its own callback.
    loop_.post([self = shared_from_this()] { self->call_.reset(); });
  }

  Loop& loop_;
  std::shared_ptr<net::Exchange> exchange_;
  ForwardOptions options_;
  std::string method_;
  std::unique_ptr<net::Call> call_;
  enum class Response { kNone, kStreams, kComplete } response_ = Response::kNone;
};

}  // namespace

net::Headers passed_on(const net::Headers& headers) {
  const std::set<std::string> of_connection = named_by_connection(headers);
  net::Headers result;
  if (net::asks_for_upgrade(headers)) {
    result.add("Connection", "Upgrade");
    result.add("Upgrade", std::string(headers.get("Upgrade")));
  }
  for (const auto& [name, value] : headers) {
    const std::string lower = to_lower(name);
    if (lower == "connection" || lower == "upgrade" || of_connection.contains(lower) || !is_passed_on(lower)) continue;
    const std::string kept = lower == "sec-websocket-protocol" ? without_tokens(value) : value;
    if (!kept.empty() || value.empty()) result.add(name, kept);
  }
  return result;
}

net::Headers passed_on_to_api(const net::Headers& headers) {
  net::Headers result;
  for (const auto& [name, value] : passed_on(headers)) {
    const std::string lower = to_lower(name);
    if (lower == "host" || lower == "origin" || lower == "referer" || lower.starts_with("sec-fetch-")) continue;
    result.add(name, value);
  }
  return result;
}

void forward(Loop& loop, net::Transport& to, net::Request request, const std::shared_ptr<net::Exchange>& exchange,
             ForwardOptions options) {
  std::make_shared<Transfer>(loop, exchange, std::move(options))->start(to, std::move(request));
}

}  // namespace muster::web
