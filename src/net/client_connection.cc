#include "net/client_connection.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace muster::net {
namespace {

Error unavailable(std::string message) {
  return Error{.reason = Reason::kServiceUnavailable, .message = std::move(message)};
}

}  // namespace

void ClientConnection::open(const std::shared_ptr<Flight>& flight) {
  flight_ = flight;
  flight->connection = weak_from_this();
  timer_ = shared_->loop.after(shared_->endpoint.connect_timeout, [self = shared_from_this()] {
    const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(self->shared_->endpoint.connect_timeout);
    self->cannot_connect(fmt::format("no answer within {} ms", whole.count()));
  });
  if (!shared_->endpoint.unix_path.empty()) {
    shared_->loop.post([self = shared_from_this()] {
      if (self->state_ != State::kConnecting) return;
      const auto address = unix_address(self->shared_->endpoint.unix_path);
      if (!address) return self->cannot_connect(address.error().message);
      self->addresses_ = {*address};
      self->connect_next("");
    });
    return;
  }
  resolve(shared_->endpoint.host, shared_->endpoint.port);
}

void ClientConnection::send(const std::shared_ptr<Flight>& flight) {
  flight_ = flight;
  flight->connection = weak_from_this();
  may_be_stale_ = true;
  transmit();
}

void ClientConnection::close() {
  if (std::exchange(state_, State::kClosed) == State::kClosed) return;
  flight_.reset();
  shared_->loop.cancel(timer_);
  socket_.close();
  shared_->closed(shared_from_this());
}

void ClientConnection::pump() {
  if (state_ != State::kSent || writing_) return;
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

void ClientConnection::resume_input() {
  if (state_ != State::kClosed && !reading_ && reader_ != nullptr) read();
}

void ClientConnection::resolve(const std::string& host, int port) {
  net::resolve(shared_->loop, host, port, [self = shared_from_this()](Result<std::vector<Address>> found) {
    if (self->state_ != State::kConnecting) return;
    if (!found.has_value()) {
      self->cannot_connect(found.error().message);
      return;
    }
    self->addresses_.assign(found->begin(), found->end());
    self->connect_next("name has no address");
  });
}

void ClientConnection::connect_next(const std::string& last_problem) {
  if (addresses_.empty()) {
    cannot_connect(last_problem);
    return;
  }
  const Address address = addresses_.front();
  addresses_.pop_front();
  const auto& open_socket = shared_->endpoint.open_socket;
  if (open_socket == nullptr) return connect_by(Fd(), address);
  open_socket([self = shared_from_this(), address](Result<Fd> opened) {
    if (self->state_ != State::kConnecting) return;
    if (!opened) return self->cannot_connect(opened.error().message);
    // An empty one would be replaced by a socket of this process's own network.
    if (!*opened) return self->cannot_connect("there is no socket to connect with");
    self->connect_by(*std::move(opened), address);
  });
}

void ClientConnection::connect_by(Fd fd, const Address& address) {
  socket_.connect(std::move(fd), address, [self = shared_from_this()](const IoEnd& end) {
    if (self->state_ != State::kConnecting) return;
    end.ok() ? self->check() : self->connect_next(end.why);
  });
}

void ClientConnection::check() {
  const auto& check_connection = shared_->endpoint.check_connection;
  if (check_connection == nullptr) return begin();
  check_connection(socket_.descriptor(), [self = shared_from_this()](Status how) {
    if (self->state_ != State::kConnecting) return;
    how ? self->begin() : self->cannot_connect(std::move(how).error());
  });
}

void ClientConnection::begin() {
  shared_->tls != nullptr ? handshake() : connected();
}

void ClientConnection::handshake() {
  const Endpoint& endpoint = shared_->endpoint;
  socket_.connect_tls(shared_->tls, endpoint.server_name.empty() ? endpoint.host : endpoint.server_name,
                      [self = shared_from_this()](const IoEnd& end) {
                        if (self->state_ != State::kConnecting) return;
                        if (end.ok()) {
                          self->connected();
                        } else {
                          self->cannot_connect("TLS: " + end.why);
                        }
                      });
}

void ClientConnection::connected() {
  shared_->loop.cancel(timer_);
  transmit();
  if (state_ != State::kClosed) read();
}

void ClientConnection::cannot_connect(const std::string& why) {
  cannot_connect(unavailable(why));
}

void ClientConnection::cannot_connect(Error why) {
  if (state_ != State::kConnecting) return;
  const auto flight = flight_;
  close();
  why.message = fmt::format("cannot connect to {}: {}", shared_->name, why.message);
  flight->end(std::move(why));
}

void ClientConnection::transmit() {
  state_ = State::kSending;
  if (const auto flight = flight_; flight->sink.on_sent) {
    flight->sink.on_sent();
    if (flight_ != flight) return;  // it cancelled the call
  }
  reader_ = std::make_unique<ResponseReader>(flight_->request.method == "HEAD");
  std::vector<std::string_view> pieces = {flight_->head};
  if (!flight_->request.body.empty()) pieces.emplace_back(flight_->request.body);
  // A failed write is ignored: a response may still arrive, and if none does, the read fails too.
  // The callback keeps the flight, whose bytes are being written.
  socket_.write(pieces, [self = shared_from_this(), flight = flight_](const IoEnd& end) {
    if (self->state_ == State::kAnswered) return end.ok() ? self->rest() : self->close();
    if (self->state_ != State::kSending || !end.ok()) return;
    self->state_ = State::kSent;
    self->pump();
  });
}

void ClientConnection::read() {
  if (flight_ != nullptr && flight_->input_paused) return;
  reading_ = true;
  socket_.read_some(Socket::kMostRead, [self = shared_from_this()](const IoEnd& end, std::string_view bytes) {
    self->reading_ = false;
    if (self->state_ != State::kClosed) self->on_read(end, bytes);
  });
}

void ClientConnection::on_read(const IoEnd& end, std::string_view arrived) {
  if (flight_ == nullptr) {  // idle: the server closed the connection or sent an unsolicited response
    close();
    return;
  }
  if (!end.ok()) {
    on_input_end(end);
    return;
  }
  may_be_stale_ = false;
  take(arrived);
  if (state_ != State::kClosed) read();
}

void ClientConnection::take(std::string_view arrived) {
  const auto flight = flight_;
  while (!in_.empty() && !arrived.empty()) {
    const std::size_t line = reader_->is_header_done() ? arrived.find('\n') : std::string_view::npos;
    const std::size_t size = std::min(line, arrived.size() - 1) + 1;
    const std::string joined = std::exchange(in_, {}).append(arrived.substr(0, size));
    arrived.remove_prefix(size);
    parse(joined, arrived.empty());
    if (flight_ != flight) return;
  }
  if (!arrived.empty()) parse(arrived, true);
}

void ClientConnection::on_input_end(const IoEnd& end) {
  // Only the protocol after an upgrade knows whether it is complete: servers end TLS by closing the connection.
  if (is_upgraded() || (end.kind == IoEnd::Kind::kClosed && reader_->ends_with_connection())) {
    complete(true);
  } else {
    failed(end.why);
  }
}

void ClientConnection::failed(const std::string& why) {
  const auto flight = flight_;
  const bool stale = may_be_stale_ && !flight->retried && (state_ == State::kSending || may_repeat(flight->request));
  const auto shared = shared_;
  close();
  if (stale) {
    flight->retried = true;
    shared->start_fresh(flight);
    return;
  }
  flight->end(unavailable(fmt::format("connection to {} lost before the answer was complete: {}", shared->name, why)));
}

void ClientConnection::parse(std::string_view text, bool is_last) {
  if (is_upgraded()) return deliver_raw(text);
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
    if (is_upgraded()) {
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

bool ClientConnection::is_upgraded() const {
  return reader_->is_header_done() && reader_->status == 101 && asks_for_upgrade(flight_->request.headers);
}

void ClientConnection::deliver_raw(std::string_view bytes) {
  const auto flight = flight_;
  if (!bytes.empty() && flight->sink.on_data) flight->sink.on_data(bytes);
}

bool ClientConnection::deliver() {
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

void ClientConnection::complete(bool nothing_follows) {
  const auto flight = std::move(flight_);
  flight_.reset();
  flight->connection.reset();  // from here on the connection may carry another request
  if (flight->is_stream() || !reader_->keep_alive() || !nothing_follows) {
    close();
  } else if (state_ == State::kSent) {
    rest();
  } else {
    state_ = State::kAnswered;
  }
  flight->end(ok());
}

void ClientConnection::rest() {
  state_ = State::kIdle;
  idle_since_ = shared_->loop.mono();
  shared_->release(shared_from_this());
}

}  // namespace muster::net
