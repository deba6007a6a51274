#include "web/console/stream_socket.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "apiserver/errors/status_error.h"
#include "base/strings.h"
#include "client/api_client.h"
#include "net/server_web_socket.h"

namespace muster::web {
namespace {

constexpr const char* kProtocol = "stream.muster.dev";
constexpr std::size_t kMostStreams = 256;
constexpr std::size_t kMostOrderBytes = 64u << 10;
constexpr std::size_t kMostLineBytes = 56u << 10;  // lines that go out as one message
constexpr std::size_t kMostErrorBytes = 64u << 10;
constexpr std::size_t kMostSockets = 256;  // each may hold a little over 1 MiB that its client has not read
constexpr Duration kPatience = std::chrono::seconds(60);  // with a client that reads nothing; a page comes back

Error bad_order(std::string_view what) {
  return apiserver::bad_request(
      fmt::format("stream: {}; send {{\"open\": NUMBER, \"path\": \"/api/…\"}} or {{\"close\": NUMBER}}", what));
}

class StreamSocket : public std::enable_shared_from_this<StreamSocket> {
 public:
  StreamSocket(Loop& loop, net::Transport& api, std::shared_ptr<SummaryCache> summaries,
               std::shared_ptr<net::Exchange> exchange, std::shared_ptr<void> place)
      : loop_(loop),
        api_(api),
        summaries_(std::move(summaries)),
        socket_(loop, std::move(exchange)),
        place_(std::move(place)) {}

  void start(const net::Request& handshake, const std::string& protocol) {
    net::ServerWebSocket::Sink sink;
    sink.on_message = [this](std::string_view bytes, bool first, bool last) { take(bytes, first, last); };
    sink.on_full = [this](bool is_full) {
      // Orders are answered as well, so a client that does not read must not send more of them.
      is_full ? socket_.pause_input() : socket_.resume_input();
      is_full ? wait_for_client() : loop_.cancel(impatience_);
      for (const auto& [_, stream] : streams_) {
        if (stream->call) is_full ? stream->call->pause_input() : stream->call->resume_input();
      }
    };
    sink.on_end = [this] {
      loop_.cancel(impatience_);
      streams_.clear();
    };
    socket_.start(shared_from_this(), handshake, protocol, std::move(sink));
  }

 private:
  struct Stream {
    std::unique_ptr<net::Call> call;
    StreamLines lines;
    int status = 0;
    std::string ready;  // complete lines, not sent yet
    std::string error;  // the body of a response that is none of success
  };

  void wait_for_client() {
    impatience_ = loop_.after(kPatience, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->socket_.close(net::CloseCode::kGoingAway, "the client does not read");
    });
  }

  /// Returns a callback that does nothing once the stream or the socket is gone.
  template <typename Member>
  auto of_stream(std::int64_t id, Member member) {
    return [weak = weak_from_this(), id, member](const auto&... args) {
      const auto self = weak.lock();
      if (!self) return;
      if (const auto at = self->streams_.find(id); at != self->streams_.end())
        (*self.*member)(id, *at->second, args...);
    };
  }

  void take(std::string_view bytes, bool first, bool last) {
    if (first) order_.clear();
    order_ += bytes;
    if (order_.size() > kMostOrderBytes) return socket_.close(net::CloseCode::kTooLarge, "the message is too long");
    if (!last) return;
    const auto order = parse_stream_order(order_);
    if (!order) return socket_.close(net::CloseCode::kProtocolError, order.error().message);
    order->path.empty() ? drop(order->id) : open(*order);
  }

  void open(const StreamOrder& order) {
    if (streams_.contains(order.id)) {
      return socket_.close(net::CloseCode::kProtocolError, fmt::format("stream {} is open already", order.id));
    }
    if (streams_.size() >= kMostStreams) {
      return send_end(order.id, apiserver::bad_request(fmt::format("more than {} streams", kMostStreams)));
    }
    const auto [at, _] = streams_.emplace(
        order.id, std::make_unique<Stream>(Stream{nullptr, StreamLines(order.fields, summaries_.get())}));
    net::Request request{.method = "GET", .target = order.path, .headers = {}, .body = {}, .peer = {}};
    request.headers.set("Accept", "application/json, */*");
    net::ResponseSink sink;
    sink.on_head = of_stream(order.id, &StreamSocket::on_head);
    sink.on_data = of_stream(order.id, &StreamSocket::on_data);
    sink.on_end = of_stream(order.id, &StreamSocket::on_end);
    at->second->call = api_.send(std::move(request), std::move(sink));
    if (socket_.is_full()) at->second->call->pause_input();
  }

  void on_head(std::int64_t, Stream& stream, int status, const net::Headers&) { stream.status = status; }

  void on_data(std::int64_t id, Stream& stream, std::string_view bytes) {
    if (stream.status != 200) {
      stream.error += bytes.substr(0, kMostErrorBytes - std::min(kMostErrorBytes, stream.error.size()));
      return;
    }
    const bool is_scheduled = !stream.ready.empty();
    stream.ready += stream.lines.take(bytes);
    if (stream.ready.size() >= kMostLineBytes) return send_ready(id, stream);
    // What arrives in the same turn of the loop goes out together: ten thousand objects in a few hundred messages.
    if (!is_scheduled && !stream.ready.empty()) loop_.post(of_stream(id, &StreamSocket::send_ready));
  }

  void send_ready(std::int64_t id, Stream& stream) { send_lines(id, std::exchange(stream.ready, {})); }

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
    if (!lines.empty()) socket_.send(lines, fmt::format("{{\"id\":{}}}\n", id));
  }

  void send_end(std::int64_t id, const Error& error) {
    send(json::Object{{"id", id}, {"end", client::status_from_error(error)}});
  }

  void send(const json::Document& message) { socket_.send(json::serialize(message)); }

  Loop& loop_;
  net::Transport& api_;
  std::shared_ptr<SummaryCache> summaries_;  // of all sockets
  net::ServerWebSocket socket_;
  std::map<std::int64_t, std::unique_ptr<Stream>> streams_;
  std::string order_;  // the message that is arriving
  Loop::Id impatience_ = 0;
  std::shared_ptr<void> place_;  // among the sockets
};

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
  const auto find_end = [&] { return of_event_ ? bytes.find('\n') : bytes.find_first_of("\r\n"); };
  for (auto end = find_end(); end != std::string_view::npos; end = find_end()) {
    const std::size_t ends_state = bytes[end] == '\r' ? 1 : 0;
    unfinished_ += bytes.substr(0, end + ends_state);
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
  const auto handle = [&loop, &api, cache = std::make_shared<SummaryCache>(), open = std::make_shared<std::size_t>(0)](
                          const apiserver::RoutedRequest& request, std::shared_ptr<net::Exchange> exchange) {
    const auto protocol = net::choose_protocol(request.http, {kProtocol});
    if (!protocol) return exchange->respond(apiserver::error_response(protocol.error()));
    if (*open >= kMostSockets) {
      Error error;
      error.reason = Reason::kTooManyRequests;
      error.message = fmt::format("{} pages watch this engine; close some of them", kMostSockets);
      error.retry_after = std::chrono::seconds(10);
      return exchange->respond(apiserver::error_response(error));
    }
    ++*open;
    const std::shared_ptr<void> place(nullptr, [open](void*) { --*open; });
    std::make_shared<StreamSocket>(loop, api, cache, std::move(exchange), place)->start(request.http, *protocol);
  };
  return {.pattern = "apis/muster.dev/v1/watch", .methods = {"GET"}, .handle = handle};
}

}  // namespace muster::web
