#include "web/console/stream_socket.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "apiserver/errors/status_error.h"
#include "base/strings.h"
#include "client/api_client.h"
#include "net/web_socket.h"

namespace muster::web {
namespace {

constexpr const char* kProtocol = "stream.muster.dev";
constexpr std::size_t kMostStreams = 256;
constexpr std::size_t kMostOrderBytes = 64u << 10;
constexpr std::size_t kMostLineBytes = 56u << 10;  // lines that go out as one message
// Streams are not read while this much waits for a slow client.
constexpr std::size_t kMostUnsentLines = 1u << 20;
constexpr std::size_t kMostErrorBytes = 64u << 10;
constexpr Duration kStreamPingInterval = std::chrono::seconds(15);

Error bad_order(std::string_view what) {
  return apiserver::bad_request(
      fmt::format("stream: {}; send {{\"open\": NUMBER, \"path\": \"/api/…\"}} or {{\"close\": NUMBER}}", what));
}

class StreamSocket : public std::enable_shared_from_this<StreamSocket> {
 public:
  StreamSocket(Loop& loop, net::Transport& api, std::shared_ptr<SummaryCache> summaries,
               std::shared_ptr<net::Exchange> exchange)
      : loop_(loop), api_(api), summaries_(std::move(summaries)), exchange_(std::move(exchange)) {}
  ~StreamSocket() { loop_.cancel(ping_timer_); }
  StreamSocket(const StreamSocket&) = delete;
  StreamSocket& operator=(const StreamSocket&) = delete;

  void start(net::Headers headers) {
    exchange_->begin(101, std::move(headers));
    net::WebSocketSink sink;
    sink.on_message = [this](std::string_view bytes, bool first, bool last) { take(bytes, first, last); };
    sink.on_close = [this](net::CloseCode, const std::string&) { end(); };
    socket_ = std::make_shared<net::WebSocket>(*exchange_, net::WebSocketRole::kServer, nullptr, std::move(sink));
    exchange_->read_input({.on_data =
                               [weak = weak_from_this()](std::string_view bytes) {
                                 const auto self = weak.lock();
                                 if (self && !self->ended_) self->socket_->take(bytes);
                               },
                           .on_end = nullptr});
    exchange_->on_gone([self = shared_from_this()] { self->end(); });
    ping_later();
  }

 private:
  struct Stream {
    std::unique_ptr<net::Call> call;
    StreamLines lines;
    int status = 0;
    std::string ready;  // complete lines, not sent yet
    std::string error;  // the body of a response that is none of success
  };

  void take(std::string_view bytes, bool first, bool last) {
    if (first) order_.clear();
    order_ += bytes;
    if (order_.size() > kMostOrderBytes) return fail(net::CloseCode::kTooLarge, "the message is too long");
    if (!last) return;
    const auto order = parse_stream_order(order_);
    if (!order) return fail(net::CloseCode::kProtocolError, order.error().message);
    order->path.empty() ? drop(order->id) : open(*order);
  }

  void open(const StreamOrder& order) {
    if (streams_.contains(order.id)) {
      return fail(net::CloseCode::kProtocolError, fmt::format("stream {} is open already", order.id));
    }
    if (streams_.size() >= kMostStreams) {
      return send_end(order.id, apiserver::bad_request(fmt::format("more than {} streams", kMostStreams)));
    }
    const auto [at, _] = streams_.emplace(
        order.id, std::make_unique<Stream>(Stream{nullptr, StreamLines(order.fields, summaries_.get())}));
    net::Request request{.method = "GET", .target = order.path, .headers = {}, .body = {}, .peer = {}};
    request.headers.set("Accept", "application/json, */*");
    at->second->call = api_.send(std::move(request), sink_of(order.id));
    if (paused_) at->second->call->pause_input();
  }

  net::ResponseSink sink_of(std::int64_t id) {
    const auto find = [weak = weak_from_this(), id]() -> std::pair<std::shared_ptr<StreamSocket>, Stream*> {
      const auto self = weak.lock();
      if (!self || self->ended_) return {nullptr, nullptr};
      const auto at = self->streams_.find(id);
      return {self, at == self->streams_.end() ? nullptr : at->second.get()};
    };
    net::ResponseSink sink;
    sink.on_head = [find](int status, const net::Headers&) {
      if (const auto [self, stream] = find(); stream != nullptr) stream->status = status;
    };
    sink.on_data = [find, id](std::string_view bytes) {
      if (const auto [self, stream] = find(); stream != nullptr) self->on_data(id, *stream, bytes);
    };
    sink.on_end = [find, id](const Status& how) {
      if (const auto [self, stream] = find(); stream != nullptr) self->on_end(id, *stream, how);
    };
    return sink;
  }

  void on_data(std::int64_t id, Stream& stream, std::string_view bytes) {
    if (stream.status != 200) {
      stream.error += bytes.substr(0, kMostErrorBytes - std::min(kMostErrorBytes, stream.error.size()));
      return;
    }
    const bool is_scheduled = !stream.ready.empty();
    stream.ready += stream.lines.take(bytes);
    if (stream.ready.size() >= kMostLineBytes) return send_lines(id, std::exchange(stream.ready, {}));
    if (!is_scheduled && !stream.ready.empty()) send_soon(id);
  }

  /// What arrives in the same turn of the loop goes out together: ten thousand objects in a few hundred messages.
  void send_soon(std::int64_t id) {
    loop_.post([weak = weak_from_this(), id] {
      const auto self = weak.lock();
      if (!self || self->ended_) return;
      const auto at = self->streams_.find(id);
      if (at != self->streams_.end()) self->send_lines(id, std::exchange(at->second->ready, {}));
    });
  }

  void on_end(std::int64_t id, Stream& stream, const Status& how) {
    send_lines(id, std::exchange(stream.ready, {}) + stream.lines.take_rest());
    if (!how) {
      send_end(id, how.error());
    } else if (stream.status == 200) {
      send(json::Object{{"id", id}, {"end", nullptr}});
    } else {
      auto status = json::parse(stream.error);
      send(json::Object{{"id", id}, {"end", status ? *std::move(status) : json::Document(stream.error)}});
    }
    drop(id);
  }

  /// Destroying a call inside its own callback is not allowed, so this happens a turn later.
  void drop(std::int64_t id) {
    const auto at = streams_.find(id);
    if (at == streams_.end()) return;
    loop_.post([gone = std::shared_ptr<Stream>(std::move(at->second))] {});
    streams_.erase(at);
  }

  void send_lines(std::int64_t id, std::string_view lines) {
    if (lines.empty()) return;
    socket_->send(lines, fmt::format("{{\"id\":{}}}\n", id));
    if (paused_ || exchange_->unsent() <= kMostUnsentLines) return;
    paused_ = true;
    for (const auto& [_, stream] : streams_) {
      if (stream->call) stream->call->pause_input();
    }
    exchange_->when_room(kMostUnsentLines / 2, [weak = weak_from_this()] {
      if (const auto self = weak.lock(); self && !self->ended_) self->resume();
    });
  }

  void resume() {
    paused_ = false;
    for (const auto& [_, stream] : streams_) {
      if (stream->call) stream->call->resume_input();
    }
  }

  void send_end(std::int64_t id, const Error& error) {
    send(json::Object{{"id", id}, {"end", client::status_from_error(error)}});
  }

  void send(const json::Document& message) { socket_->send(json::serialize(message)); }

  void fail(net::CloseCode code, const std::string& why) {
    socket_->close(code, std::string_view(why).substr(0, 120));  // a close frame holds no more
    end();
  }

  void ping_later() {
    ping_timer_ = loop_.after(kStreamPingInterval, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self || self->ended_) return;
      self->socket_->ping();
      self->ping_later();
    });
  }

  /// The exchange and the calls hold callbacks that lead here, and may be calling now, so they are released later.
  void end() {
    if (std::exchange(ended_, true)) return;
    exchange_->finish();
    loop_.post([self = shared_from_this()] {
      self->streams_.clear();
      self->socket_.reset();
      self->exchange_.reset();
    });
  }

  Loop& loop_;
  net::Transport& api_;
  std::shared_ptr<SummaryCache> summaries_;  // of all sockets
  std::shared_ptr<net::Exchange> exchange_;
  std::shared_ptr<net::WebSocket> socket_;
  std::map<std::int64_t, std::unique_ptr<Stream>> streams_;
  std::string order_;  // the message that is arriving
  bool paused_ = false;
  bool ended_ = false;
  Loop::Id ping_timer_ = 0;
};

Status check_upgrade(const net::Request& request) {
  TRY(net::check_handshake(request));
  const std::vector<std::string> offered = net::offered_protocols(request.headers);
  if (std::ranges::find(offered, kProtocol) != offered.end()) return ok();
  return apiserver::bad_request(fmt::format("Sec-WebSocket-Protocol: must offer {}, got {}", kProtocol,
                                            quote(request.headers.get("Sec-WebSocket-Protocol"))));
}

}  // namespace

Result<StreamOrder> parse_stream_order(std::string_view text) {
  const auto message = json::parse(text);
  if (!message) return bad_order(message.error().message);
  StreamOrder order;
  const json::Document* opened = message->find("open");
  const json::Document* id = opened != nullptr ? opened : message->find("close");
  if (id == nullptr || !id->is_int()) return bad_order("a message names one stream");
  order.id = id->as_int();
  if (opened == nullptr) return order;
  order.path = message->string_at("path");
  if (!order.path.starts_with("/api/") && !order.path.starts_with("/apis/")) {
    return bad_order(fmt::format("path: must be one of the API, got {}", quote(order.path)));
  }
  for (const json::Document& field : message->array_at("fields")) {
    if (!field.is_string() || field.as_string().empty()) return bad_order("fields: must be strings");
    order.fields.push_back(field.as_string());
  }
  return order;
}

StreamLines::StreamLines(const std::vector<std::string>& fields, SummaryCache* cache) {
  if (fields.empty()) return;
  of_event_.emplace(ObjectFields::Text::kEvent, fields, cache);
  of_list_.emplace(ObjectFields::Text::kObject, fields);
}

std::string StreamLines::take(std::string_view bytes) {
  std::string complete;
  for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    unfinished_ += bytes.substr(0, end);
    append_line(unfinished_, complete);
    unfinished_.clear();
    bytes.remove_prefix(end + 1);
  }
  unfinished_ += bytes;
  return complete;
}

/// A list may be a line without an end.
std::string StreamLines::take_rest() {
  std::string rest = std::exchange(unfinished_, {});
  if (!of_event_ || rest.empty()) return rest;
  std::string kept;
  append_line(rest, kept);
  return kept;
}

/// Bookmarks and errors are short, and their objects have other fields.
void StreamLines::append_line(std::string_view line, std::string& out) const {
  const bool is_event = line.starts_with("{\"type\":");
  const bool is_whole = line.starts_with("{\"type\":\"BOOKMARK\"") || line.starts_with("{\"type\":\"ERROR\"");
  if (of_event_ && !is_whole) {
    if (const auto kept = is_event ? of_event_->read(line) : of_list_->read_list(line)) {
      json::append_serialized(*kept, out);
      out += '\n';
      return;
    }
  }
  out += line;
  out += '\n';
}

apiserver::Route stream_route(Loop& loop, net::Transport& api) {
  const auto handle = [&loop, &api, cache = std::make_shared<SummaryCache>()](const apiserver::RoutedRequest& request,
                                                                              std::shared_ptr<net::Exchange> exchange) {
    if (const Status checked = check_upgrade(request.http); !checked) {
      return exchange->respond(apiserver::error_response(checked.error()));
    }
    const auto socket = std::make_shared<StreamSocket>(loop, api, cache, std::move(exchange));
    socket->start(net::accept_handshake(request.http, kProtocol));
  };
  return {.pattern = "apis/muster.dev/v1/watch", .methods = {"GET"}, .handle = handle};
}

}  // namespace muster::web
