#include "net/http_client.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "net/message_text.h"
#include "net/response_reader.h"
#include "net/socket.h"

namespace muster::net {

namespace {

constexpr std::size_t kMaxConnections = 256;  // further requests queue for a connection, first come, first served
constexpr std::size_t kMaxIdle = 16;
constexpr Duration kIdleTimeout = std::chrono::seconds(60);

std::string name_of(const Endpoint& endpoint) {
  if (!endpoint.unix_path.empty()) return "unix:" + endpoint.unix_path;
  const bool v6 = endpoint.host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", endpoint.host, endpoint.port) : fmt::format("{}:{}", endpoint.host, endpoint.port);
}

std::string request_text(const Request& request, const Endpoint& endpoint) {
  std::string out = fmt::format("{} {} HTTP/1.1\r\n", request.method, request.target);
  if (!request.headers.has("Host")) {
    append_header(out, "Host", endpoint.unix_path.empty() ? name_of(endpoint) : "localhost");
  }
  for (const auto& [name, value] : request.headers) append_header(out, name, value);
  if (request.streams_body) {
    append_header(out, "Transfer-Encoding", "chunked");
    return out + "\r\n";
  }
  const bool may_have_body = request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
  if (may_have_body || !request.body.empty()) append_header(out, "Content-Length", std::to_string(request.body.size()));
  return out + "\r\n";
}

bool is_token(std::string_view method) {
  return !method.empty() && std::ranges::all_of(method, [](char c) { return c > 0x20 && c < 0x7f; });
}

/// Returns why the request cannot be written as HTTP; "" when it can. Values of headers may be secrets.
std::string fault_in(const Request& request) {
  if (!is_token(request.method) || !is_token(request.target)) {
    return "method and path must be printable ASCII without spaces";
  }
  for (const auto& [name, value] : request.headers) {
    if (!is_token(name) || name.find(':') != std::string::npos) {
      return fmt::format("the name of a header must be printable ASCII without spaces and colons, got {}", quote(name));
    }
    if (!is_header_value(value))
      return fmt::format("header {}: must have no line break or other control character", name);
  }
  return "";
}

Error unavailable(std::string message) {
  return Error{.reason = Reason::kServiceUnavailable, .message = std::move(message)};
}

class Wire;

/// What is written to a Call and not sent yet.
struct Outgoing {
  std::deque<Bytes> queue;
  std::size_t unsent = 0;
  bool finished = false;
  std::size_t room = 0;  // on_room is called once no more than this is unsent
  Task on_room;

  void add(Bytes bytes) {
    unsent += bytes->size();
    queue.push_back(std::move(bytes));
  }
};

/// One request in progress, held by its Call and by the connection that carries it.
struct Flight {
  Request request;
  std::string head;
  ResponseSink sink;
  Outgoing outgoing;
  std::weak_ptr<Wire> wire;
  bool cancelled = false;
  bool retried = false;
  bool head_delivered = false;
  bool input_paused = false;

  /// A request of which more follows has a connection of its own, which no later request uses.
  bool is_stream() const { return request.streams_body || asks_for_upgrade(request.headers); }
  void end(Status status) {
    if (!cancelled && sink.on_end) sink.on_end(std::move(status));
  }
};

/// The state shared by the requests and connections of one client.
struct ClientShared : std::enable_shared_from_this<ClientShared> {
  ClientShared(EventLoop& l, Endpoint e) : loop(l), endpoint(std::move(e)), name(name_of(endpoint)) {}

  void start(const std::shared_ptr<Flight>& flight);
  void start_fresh(const std::shared_ptr<Flight>& flight);
  void release(const std::shared_ptr<Wire>& wire);
  void closed(const std::shared_ptr<Wire>& wire);
  void serve_waiting();
  void drop_old_idle();
  void stop();

  EventLoop& loop;
  Endpoint endpoint;
  std::string name;
  std::shared_ptr<TlsContext> tls;
  std::optional<Error> tls_error;
  std::set<std::shared_ptr<Wire>> wires;
  std::vector<std::shared_ptr<Wire>> idle;  // most recently used last
  std::deque<std::shared_ptr<Flight>> waiting;
  Loop::Id idle_timer = 0;
  bool stopped = false;
};

/// One connection: opened for a request and kept for later ones.
class Wire : public std::enable_shared_from_this<Wire> {
 public:
  explicit Wire(std::shared_ptr<ClientShared> shared) : shared_(std::move(shared)), socket_(shared_->loop) {}

  void open(const std::shared_ptr<Flight>& flight) {
    flight_ = flight;
    flight->wire = weak_from_this();
    timer_ = shared_->loop.after(shared_->endpoint.connect_timeout, [self = shared_from_this()] {
      const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(self->shared_->endpoint.connect_timeout);
      self->cannot_connect(fmt::format("no answer within {} ms", whole.count()));
    });
    if (!shared_->endpoint.unix_path.empty()) {
      auto address = unix_address(shared_->endpoint.unix_path);
      shared_->loop.post([self = shared_from_this(), a = std::move(address)] {
        if (self->closed_) return;
        if (!a.has_value()) {
          self->cannot_connect(a.error().message);
          return;
        }
        self->addresses_ = {*a};
        self->connect_next("");
      });
      return;
    }
    resolve(shared_->endpoint.host, shared_->endpoint.port);
  }

  /// Sends a request on a connection that was idle.
  void send(const std::shared_ptr<Flight>& flight) {
    flight_ = flight;
    flight->wire = weak_from_this();
    reused_ = true;
    transmit();
  }

  void close() {
    if (closed_) return;
    closed_ = true;
    flight_.reset();
    shared_->loop.cancel(timer_);
    socket_.close();
    shared_->closed(shared_from_this());
  }

  /// Writes what has been passed to the call, once the head is written. A failed write is ignored, as in transmit().
  void pump() {
    if (closed_ || writing_ || !written_ || flight_ == nullptr) return;
    Outgoing& outgoing = flight_->outgoing;
    if (outgoing.queue.empty()) return;
    const Bytes bytes = outgoing.queue.front();
    outgoing.queue.pop_front();
    writing_ = true;
    socket_.write({*bytes}, [self = shared_from_this(), flight = flight_, bytes](const IoEnd& end) {
      self->writing_ = false;
      Outgoing& rest = flight->outgoing;
      rest.unsent -= bytes->size();
      if (rest.on_room && rest.unsent <= rest.room) self->shared_->loop.post(std::exchange(rest.on_room, nullptr));
      if (end.ok() && self->flight_ == flight) self->pump();
    });
  }

  void resume_input() {
    if (!closed_ && !reading_ && reader_ != nullptr) read();
  }

  bool usable() const { return !closed_ && socket_.quiet(); }
  MonoTime idle_since() const { return idle_since_; }

 private:
  void resolve(const std::string& host, int port) {
    net::resolve(shared_->loop, host, port, [self = shared_from_this()](Result<std::vector<Address>> found) {
      if (self->closed_) return;
      if (!found.has_value()) {
        self->cannot_connect(found.error().message);
        return;
      }
      self->addresses_.assign(found->begin(), found->end());
      self->connect_next("name has no address");
    });
  }

  void connect_next(const std::string& last_problem) {
    if (addresses_.empty()) {
      cannot_connect(last_problem);
      return;
    }
    const Address address = addresses_.front();
    addresses_.pop_front();
    socket_.connect(address, [self = shared_from_this()](const IoEnd& end) {
      if (self->closed_) return;
      if (!end.ok()) {
        self->connect_next(end.why);
      } else if (self->shared_->tls != nullptr) {
        self->handshake();
      } else {
        self->connected();
      }
    });
  }

  void handshake() {
    const Endpoint& endpoint = shared_->endpoint;
    socket_.connect_tls(shared_->tls, endpoint.server_name.empty() ? endpoint.host : endpoint.server_name,
                        [self = shared_from_this()](const IoEnd& end) {
                          if (self->closed_) return;
                          if (end.ok()) {
                            self->connected();
                          } else {
                            self->cannot_connect("TLS: " + end.why);
                          }
                        });
  }

  void connected() {
    shared_->loop.cancel(timer_);
    transmit();
    read();
  }

  void cannot_connect(const std::string& why) {
    if (closed_) return;
    const auto flight = flight_;
    close();
    if (flight != nullptr) flight->end(unavailable(fmt::format("cannot connect to {}: {}", shared_->name, why)));
  }

  void transmit() {
    written_ = got_bytes_ = false;
    if (flight_->sink.on_sent) flight_->sink.on_sent();
    reader_ = std::make_unique<ResponseReader>(flight_->request.method == "HEAD");
    std::vector<std::string_view> pieces = {flight_->head};
    if (!flight_->request.body.empty()) pieces.emplace_back(flight_->request.body);
    // A failed write is ignored: a response may still arrive, and if none does, the read fails too.
    socket_.write(pieces, [self = shared_from_this(), flight = flight_](const IoEnd& end) {
      if (self->flight_ == flight) {
        self->written_ = end.ok();
        self->pump();
      } else if (std::exchange(self->rests_when_written_, false)) {
        end.ok() ? self->rest() : self->close();
      }
    });
  }

  void read() {
    if (flight_ != nullptr && flight_->input_paused) return;
    reading_ = true;
    socket_.read_some(Socket::kMostRead, [self = shared_from_this()](const IoEnd& end, std::string_view bytes) {
      self->reading_ = false;
      if (!self->closed_) self->on_read(end, bytes);
    });
  }

  void on_read(const IoEnd& end, std::string_view arrived) {
    if (flight_ == nullptr) {  // idle: the server closed the connection or sent an unsolicited response
      close();
      return;
    }
    if (!end.ok()) {
      on_input_end(end);
      return;
    }
    got_bytes_ = true;
    take(arrived);
    if (!closed_) read();
  }

  /// Parses nearly everything in place. When the parser leaves an incomplete chunk header, only the rest of that line
  /// is copied and joined with it.
  void take(std::string_view arrived) {
    const auto flight = flight_;
    while (!in_.empty() && !arrived.empty()) {
      const std::size_t line = reader_->is_header_done() ? arrived.find('\n') : std::string_view::npos;
      const std::size_t size = std::min(line, arrived.size() - 1) + 1;
      const std::string joined = std::exchange(in_, {}).append(arrived.substr(0, size));
      arrived.remove_prefix(size);
      parse(joined, arrived.empty());
      if (closed_ || flight_ != flight) return;
    }
    if (!arrived.empty()) parse(arrived, true);
  }

  void on_input_end(const IoEnd& end) {
    // Only the protocol after an upgrade knows whether it is complete: servers end TLS by closing the connection.
    if (upgraded_ || (end.kind == IoEnd::Kind::kClosed && reader_->ends_with_connection())) {
      complete(true);
    } else {
      failed(end.why);
    }
  }

  void failed(const std::string& why) {
    const auto flight = flight_;
    const bool stale = reused_ && !got_bytes_ && !flight->retried && (!written_ || may_repeat(flight->request));
    const auto shared = shared_;
    close();
    if (stale) {
      flight->retried = true;
      shared->start_fresh(flight);
      return;
    }
    flight->end(
        unavailable(fmt::format("connection to {} lost before the answer was complete: {}", shared->name, why)));
  }

  void parse(std::string_view text, bool is_last) {
    if (upgraded_) return deliver_raw(text);
    while (flight_ != nullptr && !text.empty()) {
      const ResponseReader::Taken taken = reader_->put(text);
      text.remove_prefix(taken.bytes);
      if (!taken.fault.empty()) {
        const auto flight = flight_;
        close();
        flight->end(Error{.reason = Reason::kBadGateway,
                          .message = fmt::format("{} does not answer in HTTP: {}", shared_->name, taken.fault)});
        return;
      }
      if (reader_->is_header_done() && reader_->status == 101 && asks_for_upgrade(flight_->request.headers)) {
        upgraded_ = true;
        if (deliver()) deliver_raw(text);
        return;
      }
      if (reader_->is_header_done() && reader_->status < 200) {  // informational (100 Continue); the response follows
        reader_ = std::make_unique<ResponseReader>(flight_->request.method == "HEAD");
        continue;
      }
      if (reader_->is_header_done() && !deliver()) return;
      if (reader_->is_done()) return complete(text.empty() && is_last);
      // Body bytes before the incomplete part have been delivered, without waiting for the rest.
      if (taken.needs_more) break;
    }
    in_.assign(text);
  }

  void deliver_raw(std::string_view bytes) {
    const auto flight = flight_;
    if (!bytes.empty() && flight->sink.on_data) flight->sink.on_data(bytes);
  }

  /// Returns false when a callback cancelled the call.
  bool deliver() {
    const auto flight = flight_;
    if (!flight->head_delivered) {
      flight->head_delivered = true;
      if (flight->sink.on_head) flight->sink.on_head(reader_->status, reader_->headers);
      if (flight_ != flight) return false;
    }
    for (const std::string_view body : std::exchange(reader_->fresh_body, {})) {
      if (flight->sink.on_data) flight->sink.on_data(body);
      if (flight_ != flight) return false;
    }
    return true;
  }

  void complete(bool nothing_follows) {
    const auto flight = std::move(flight_);
    flight_.reset();
    flight->wire.reset();  // from here on the connection may carry another request
    if (flight->is_stream() || !reader_->keep_alive() || !nothing_follows) {
      close();
    } else if (written_) {
      rest();
    } else {
      rests_when_written_ = true;  // the response arrived before the write completed
    }
    flight->end(ok());
  }

  /// Makes the connection available to later requests.
  void rest() {
    if (closed_) return;
    idle_since_ = shared_->loop.mono();
    shared_->release(shared_from_this());
  }

  std::shared_ptr<ClientShared> shared_;
  Socket socket_;
  std::deque<Address> addresses_;
  std::shared_ptr<Flight> flight_;
  std::unique_ptr<ResponseReader> reader_;
  std::string in_;
  Loop::Id timer_ = 0;
  MonoTime idle_since_;
  bool reused_ = false;
  bool written_ = false;
  bool rests_when_written_ = false;
  bool got_bytes_ = false;
  bool reading_ = false;
  bool writing_ = false;   // bytes of the call, after the head
  bool upgraded_ = false;  // the rest of the connection is not HTTP
  bool closed_ = false;
};

class ClientCall final : public Call {
 public:
  ClientCall(std::weak_ptr<ClientShared> shared, std::shared_ptr<Flight> flight)
      : shared_(std::move(shared)), flight_(std::move(flight)) {}
  ~ClientCall() override {
    flight_->cancelled = true;
    if (const auto wire = flight_->wire.lock()) wire->close();
    if (const auto shared = shared_.lock()) std::erase(shared->waiting, flight_);
  }

  void write(Bytes bytes) override {
    if (flight_->outgoing.finished || bytes == nullptr || bytes->empty() || !flight_->is_stream()) return;
    if (flight_->request.streams_body) {
      put(fmt::format("{:x}\r\n", bytes->size()));
      flight_->outgoing.add(std::move(bytes));
      put("\r\n");
    } else {
      flight_->outgoing.add(std::move(bytes));
    }
    pump();
  }
  void finish() override {
    if (std::exchange(flight_->outgoing.finished, true) || !flight_->request.streams_body) return;
    put("0\r\n\r\n");
    pump();
  }
  std::size_t unsent() const override { return flight_->outgoing.unsent; }
  void when_room(std::size_t bytes, Task task) override {
    flight_->outgoing.room = bytes;
    flight_->outgoing.on_room = std::move(task);
    const auto shared = shared_.lock();
    if (shared && unsent() <= bytes) shared->loop.post(std::exchange(flight_->outgoing.on_room, nullptr));
  }
  void pause_input() override { flight_->input_paused = true; }
  void resume_input() override {
    if (!std::exchange(flight_->input_paused, false)) return;
    if (const auto wire = flight_->wire.lock()) wire->resume_input();
  }

 private:
  void put(std::string text) { flight_->outgoing.add(std::make_shared<const std::string>(std::move(text))); }
  void pump() {
    if (const auto wire = flight_->wire.lock()) wire->pump();
  }

  std::weak_ptr<ClientShared> shared_;
  std::shared_ptr<Flight> flight_;
};

void ClientShared::start(const std::shared_ptr<Flight>& flight) {
  while (!idle.empty() && !flight->is_stream()) {
    const auto wire = idle.back();
    idle.pop_back();
    if (wire->usable()) {
      wire->send(flight);
      return;
    }
    wire->close();
  }
  start_fresh(flight);
}

void ClientShared::start_fresh(const std::shared_ptr<Flight>& flight) {
  if (wires.size() >= kMaxConnections) {
    waiting.push_back(flight);
    return;
  }
  const auto wire = std::make_shared<Wire>(shared_from_this());
  wires.insert(wire);
  wire->open(flight);
}

void ClientShared::release(const std::shared_ptr<Wire>& wire) {
  if (idle.size() >= kMaxIdle) {
    wire->close();
    return;
  }
  idle.push_back(wire);
  if (idle_timer == 0) {
    idle_timer = loop.after(kIdleTimeout, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->drop_old_idle();
    });
  }
  serve_waiting();
}

void ClientShared::closed(const std::shared_ptr<Wire>& wire) {
  std::erase(idle, wire);
  wires.erase(wire);
  if (!stopped) serve_waiting();
}

void ClientShared::serve_waiting() {
  if (waiting.empty() || (idle.empty() && wires.size() >= kMaxConnections)) return;
  const auto flight = waiting.front();
  waiting.pop_front();
  start(flight);
}

void ClientShared::drop_old_idle() {
  idle_timer = 0;
  const MonoTime oldest = loop.mono() - kIdleTimeout;
  const auto all = idle;
  for (const auto& wire : all) {
    if (wire->idle_since() <= oldest) wire->close();
  }
  if (idle.empty()) return;
  idle_timer = loop.after(kIdleTimeout / 2, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->drop_old_idle();
  });
}

void ClientShared::stop() {
  stopped = true;
  loop.cancel(idle_timer);
  waiting.clear();
  const auto all = wires;
  for (const auto& wire : all) wire->close();
}

}  // namespace

struct HttpClient::State {
  std::shared_ptr<ClientShared> shared;
};

HttpClient::HttpClient(EventLoop& loop, Endpoint endpoint) : state_(std::make_shared<State>()) {
  state_->shared = std::make_shared<ClientShared>(loop, std::move(endpoint));
  ClientShared& shared = *state_->shared;
  if (!shared.endpoint.tls) return;
  auto tls = make_client_tls(ClientTls{.ca_pem = shared.endpoint.ca_pem,
                                       .certificate_pem = shared.endpoint.client_certificate_pem,
                                       .key_pem = shared.endpoint.client_key_pem,
                                       .skip_verify = shared.endpoint.insecure_skip_verify});
  if (tls.has_value()) {
    shared.tls = *std::move(tls);
  } else {
    shared.tls_error = in_context("TLS to " + shared.name, std::move(tls).error());
  }
}

HttpClient::~HttpClient() {
  state_->shared->stop();
}

std::unique_ptr<Call> HttpClient::send(Request request, ResponseSink sink) {
  const auto& shared = state_->shared;
  auto flight = std::make_shared<Flight>();
  flight->sink = std::move(sink);
  std::optional<Error> problem = shared->tls_error;
  if (const std::string fault = fault_in(request); !fault.empty()) {
    problem = Error{.reason = Reason::kBadRequest, .message = "request: " + fault};
  }
  if (problem) {
    shared->loop.post([flight, error = *std::move(problem)] { flight->end(error); });
  } else {
    flight->request = std::move(request);
    flight->head = request_text(flight->request, shared->endpoint);
    shared->start(flight);
  }
  return std::make_unique<ClientCall>(shared, std::move(flight));
}

}  // namespace muster::net
