#include "net/http_client.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "net/client_connection.h"
#include "net/message_text.h"

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

class ClientCall final : public Call {
 public:
  ClientCall(std::weak_ptr<ClientShared> shared, std::shared_ptr<Flight> flight)
      : shared_(std::move(shared)), flight_(std::move(flight)) {}
  ~ClientCall() override {
    flight_->cancelled = true;
    if (const auto connection = flight_->connection.lock()) connection->close();
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
    if (const auto connection = flight_->connection.lock()) connection->resume_input();
  }

 private:
  void put(std::string text) { flight_->outgoing.add(std::make_shared<const std::string>(std::move(text))); }
  void pump() {
    if (const auto connection = flight_->connection.lock()) connection->pump();
  }

  std::weak_ptr<ClientShared> shared_;
  std::shared_ptr<Flight> flight_;
};

}  // namespace

ClientShared::ClientShared(EventLoop& l, Endpoint e) : loop(l), endpoint(std::move(e)), name(name_of(endpoint)) {}

void ClientShared::start(const std::shared_ptr<Flight>& flight) {
  while (!idle.empty() && !flight->is_stream()) {
    const auto connection = idle.back();
    idle.pop_back();
    if (connection->usable()) {
      connection->send(flight);
      return;
    }
    connection->close();
  }
  start_fresh(flight);
}

void ClientShared::start_fresh(const std::shared_ptr<Flight>& flight) {
  if (connections.size() >= kMaxConnections) {
    waiting.push_back(flight);
    return;
  }
  const auto connection = std::make_shared<ClientConnection>(shared_from_this());
  connections.insert(connection);
  connection->open(flight);
}

void ClientShared::release(const std::shared_ptr<ClientConnection>& connection) {
  if (idle.size() >= kMaxIdle) {
    connection->close();
    return;
  }
  idle.push_back(connection);
  if (idle_timer == 0) {
    idle_timer = loop.after(kIdleTimeout, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->drop_old_idle();
    });
  }
  serve_waiting();
}

void ClientShared::closed(const std::shared_ptr<ClientConnection>& connection) {
  std::erase(idle, connection);
  connections.erase(connection);
  if (!stopped) serve_waiting();
}

void ClientShared::serve_waiting() {
  if (waiting.empty() || (idle.empty() && connections.size() >= kMaxConnections)) return;
  const auto flight = waiting.front();
  waiting.pop_front();
  start(flight);
}

void ClientShared::drop_old_idle() {
  idle_timer = 0;
  const MonoTime oldest = loop.mono() - kIdleTimeout;
  const auto all = idle;
  for (const auto& connection : all) {
    if (connection->idle_since() <= oldest) connection->close();
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
  const auto all = connections;
  for (const auto& connection : all) connection->close();
}

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
