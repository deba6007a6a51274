#include "net/server_connection.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"

namespace muster::net {

namespace {

constexpr std::size_t kReadBytes = 8 * 1024;  // per read, so that little unparsed input accumulates
constexpr std::size_t kStreamReadBytes = 64 * 1024;

/// Messages consist of constants and numbers from this file, so nothing needs escaping.
std::string status_body(int code, std::string_view reason, std::string_view message) {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":"{}","reason":"{}","code":{}}})",
      message, reason, code);
}

class ServerExchange final : public Exchange {
 public:
  ServerExchange(std::shared_ptr<Connection> connection, std::uint64_t number)
      : connection_(std::move(connection)), number_(number) {}
  ~ServerExchange() override { connection_->abandoned(number_); }

  void respond(Response response) override { connection_->respond(number_, std::move(response)); }
  void begin(int status, Headers headers) override { connection_->begin(number_, status, headers); }
  void write(Bytes bytes) override { connection_->write(number_, std::move(bytes)); }
  void finish() override { connection_->finish(number_); }
  std::size_t unsent() const override { return connection_->unsent(number_); }
  void when_room(std::size_t bytes, Task task) override { connection_->when_room(number_, bytes, std::move(task)); }
  void read_input(InputSink sink) override { connection_->read_input(number_, std::move(sink)); }
  void pause_input() override { connection_->pause_input(number_, true); }
  void resume_input() override { connection_->pause_input(number_, false); }
  void abort() override { connection_->abort(number_); }
  void on_gone(Task task) override { connection_->on_gone(number_, std::move(task)); }

 private:
  std::shared_ptr<Connection> connection_;
  std::uint64_t number_;
};

}  // namespace

const std::string& ServerShared::date() {
  const std::time_t second = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(loop.now()));
  if (second != date_second_) {
    std::tm parts{};
    ::gmtime_r(&second, &parts);
    std::array<char, 64> buffer{};
    const std::size_t length = std::strftime(buffer.data(), buffer.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    date_.assign(buffer.data(), length);
    date_second_ = second;
  }
  return date_;
}

Connection::Connection(std::shared_ptr<ServerShared> shared, ConnectionPool& pool, std::unique_ptr<Socket> socket,
                       Peer peer, Plain plain)
    : shared_(std::move(shared)), pool_(pool), socket_(std::move(socket)), peer_(peer), plain_(plain) {}

Connection::~Connection() = default;

void Connection::start() {
  set_deadline(shared_->limits.head_timeout);
  socket_->peek([self = shared_from_this()](const IoEnd& end, unsigned char first) {
    if (self->step_ == Step::kClosed) return;
    constexpr unsigned char kTlsHandshake = 0x16;
    if (!end.ok()) {
      self->close();
    } else if (first == kTlsHandshake && self->shared_->tls != nullptr) {
      self->handshake();
    } else if (self->plain_ == Plain::kAllowed) {
      self->step_ = Step::kReading;
      self->read();
    } else {
      self->close();
    }
  });
}

void Connection::handshake() {
  socket_->accept_tls(shared_->tls, [self = shared_from_this()](const IoEnd& end) {
    if (self->step_ == Step::kClosed) return;
    if (!end.ok()) {
      self->close();
      return;
    }
    self->peer_.tls = true;
    self->step_ = Step::kReading;
    self->read();
  });
}

void Connection::set_deadline(Duration from_now) {
  deadline_ = shared_->loop.mono() + from_now;
}

void Connection::check_deadline(MonoTime now) {
  if (!deadline_ || now < *deadline_) return;
  if (step_ == Step::kReading && reader_ != nullptr) {
    refuse(408, "Timeout", "the request did not arrive in time");
  } else {
    lost();
  }
}

std::optional<MonoTime> Connection::idle_until() const {
  return step_ == Step::kReading && reader_ == nullptr ? deadline_ : std::nullopt;
}

void Connection::close() {
  if (step_ == Step::kClosed) return;
  step_ = Step::kClosed;
  deadline_.reset();
  queue_.clear();
  unsent_ = 0;
  on_gone_ = nullptr;
  on_room_ = nullptr;
  input_.reset();
  socket_->close();
  pool_.remove(*this);
}

void Connection::lost() {
  Task gone = ended_ ? nullptr : std::move(on_gone_);
  close();
  if (gone) gone();
}

// ---- input ----

void Connection::read() {
  const bool room = step_ == Step::kLingering || in_.size() < shared_->limits.head_bytes;
  if (reading_ || input_ended_ || !room || step_ == Step::kClosed) return;
  reading_ = true;
  socket_->read_some(takes_input() ? kStreamReadBytes : kReadBytes,
                     [self = shared_from_this()](const IoEnd& end, std::string_view bytes) {
                       self->reading_ = false;
                       if (self->step_ != Step::kClosed) self->on_read(end, bytes);
                     });
}

void Connection::on_read(const IoEnd& end, std::string_view bytes) {
  if (end.kind == IoEnd::Kind::kFailed) {
    lost();
    return;
  }
  if (end.kind == IoEnd::Kind::kClosed) {
    input_ended_ = true;
    on_input_end();
    return;
  }
  // After a rejection the rest of the request is read only to be discarded.
  const bool refused = step_ == Step::kLingering || (step_ == Step::kAnswering && !keep_alive_ && !takes_input());
  if (refused && (discarded_ += bytes.size()) > shared_->limits.body_bytes) {
    lost();
    return;
  }
  if (!refused) in_.append(bytes);
  if (step_ == Step::kReading) parse();
  deliver_input();
  read();
}

void Connection::on_input_end() {
  // A peer that only closed its sending half still gets the response to its request. A stream in progress ends here:
  // closing is how a peer cancels it.
  if (step_ == Step::kAnswering && reader_ != nullptr && !in_.empty()) {
    deliver_input();  // the rest of a streamed body may have arrived
  } else if (step_ == Step::kAnswering && !begun_ && reader_ == nullptr) {
    if (Task gone = std::move(on_gone_)) gone();
  } else if (step_ == Step::kAnswering && ended_) {
    keep_alive_ = false;
  } else {
    lost();
  }
}

void Connection::parse() {
  while (step_ == Step::kReading && !in_.empty()) {
    if (reader_ == nullptr) {
      // Some clients send an empty line after a body.
      in_.erase(0, std::min(in_.find_first_not_of("\r\n"), in_.size()));
      if (in_.empty()) return;
      reader_ = std::make_unique<RequestReader>(shared_->limits);
      if (known_) set_deadline(shared_->limits.head_timeout);
    }
    const auto [used, outcome] = reader_->put(in_);
    in_.erase(0, used);
    const bool starved = outcome == Outcome::kNeedsMore && in_.size() < shared_->limits.head_bytes;
    if (outcome != Outcome::kFine && !starved) {
      refuse_unparsed(outcome);
    } else if (reader_->is_header_done() && check_head() && reader_->is_done()) {
      dispatch();
    }
    if (starved) return;
  }
}

void Connection::refuse_unparsed(Outcome outcome) {
  const ServerLimits& limits = shared_->limits;
  if (outcome == Outcome::kBodyTooLarge) {
    refuse(413, "RequestEntityTooLarge",
           fmt::format("the body is larger than {} bytes; split the request", limits.body_bytes));
  } else if (outcome == Outcome::kHeadTooLarge || outcome == Outcome::kNeedsMore) {
    refuse(431, "BadRequest",
           fmt::format("the head of the request has more than {} bytes or {} fields", limits.head_bytes,
                       limits.head_fields));
  } else if (outcome == Outcome::kWrongVersion) {
    refuse_malformed("this port speaks HTTP/1.1");
  } else {
    refuse_malformed("not an HTTP request");
  }
}

/// Runs once per request, as soon as its head is complete. Returns false when the request is not processed further.
bool Connection::check_head() {
  RequestReader& reader = *reader_;
  if (reader.head_checked) {
    const auto bytes = reader.request.body.size() / shared_->limits.body_bytes_per_second;
    deadline_ = body_began_ + shared_->limits.head_timeout + std::chrono::seconds(bytes);
    return true;
  }
  reader.head_checked = true;
  keep_alive_ = reader.keep_alive();
  http_1_0_ = reader.version < 11;
  head_only_ = reader.request.method == "HEAD";
  if (const std::string_view fault = fault_in_head(); !fault.empty()) {
    refuse_malformed(fault);
    return false;
  }
  return admit();
}

/// Returns a fault that Beast accepts but we reject; "" when there is none.
std::string_view Connection::fault_in_head() const {
  const RequestReader& reader = *reader_;
  const Headers& headers = reader.request.headers;
  const bool whole_server = reader.request.method == "OPTIONS" && reader.request.target == "*";
  const std::size_t hosts = headers.count("Host");
  if (reader.folded) return "a header must not continue on the next line";
  if (reader.other_encoding) return "transfer-encoding must be chunked";
  if (!reader.request.target.starts_with('/') && !whole_server) return "the request target must begin with /";
  if (hosts > 1 || (!http_1_0_ && hosts == 0)) return "there must be one Host header";
  if (!host_name(headers.get("Host")))
    return "the Host header must be a name or address, and a port up to 65535 at most";
  if (headers.count("Authorization") > 1) return "there must be one Authorization header";
  if (headers.count("Content-Length") > 1) return "there must be one Content-Length header";
  if (!std::ranges::all_of(headers.get("Content-Length"), is_digit)) return "the Content-Length must be one number";
  return "";
}

/// A stranger gets a response without its body being read, and the connection closes after the response.
bool Connection::admit() {
  reader_->request.peer = peer_;
  if (shared_->knows && !shared_->knows(reader_->request)) {
    keep_alive_ = false;
    in_.clear();
    dispatch();
    return false;
  }
  if (!known_ && !pool_.recognise(*this)) {
    refuse(503, "ServiceUnavailable", "too many connections; try again shortly");
    return false;
  }
  known_ = true;
  if (shared_->streams_body && shared_->streams_body(reader_->request)) {
    reader_->request.streams_body = true;
    reader_->stream_body();
    dispatch();
    return false;
  }
  if (reader_->declared_body() > shared_->limits.body_bytes) {
    refuse_unparsed(Outcome::kBodyTooLarge);
    return false;
  }
  if (!reader_->is_done()) expect_body();
  return step_ == Step::kReading;
}

void Connection::expect_body() {
  body_began_ = shared_->loop.mono();
  set_deadline(shared_->limits.head_timeout);
  reader_->expect_body();
  if (!reader_->waits_for_continue || begun_) return;
  lead_ += "HTTP/1.1 100 Continue\r\n\r\n";
  flush();
}

void Connection::dispatch() {
  Request request = std::move(reader_->request);
  reader_->request = {};
  if (!request.streams_body || reader_->is_done()) reader_.reset();
  step_ = Step::kAnswering;
  begun_ = chunked_ = ended_ = end_sent_ = upgraded_ = input_paused_ = false;
  input_.reset();
  deadline_.reset();
  const auto shared = shared_;  // the handler may destroy the server
  shared->handler(std::move(request), std::make_shared<ServerExchange>(shared_from_this(), ++number_));
}

void Connection::refuse_malformed(std::string_view what) {
  refuse(400, "BadRequest", what);
}

void Connection::refuse(int status, std::string_view reason, std::string_view message) {
  reader_.reset();
  in_.clear();
  step_ = Step::kAnswering;
  begun_ = chunked_ = ended_ = end_sent_ = upgraded_ = false;
  keep_alive_ = false;
  Response response{.status = status, .body = status_body(status, reason, message)};
  response.headers.set("Content-Type", "application/json");
  if (status == 503) response.headers.set("Retry-After", "1");
  respond(++number_, std::move(response));
}

void Connection::read_input(std::uint64_t number, InputSink sink) {
  if (!answering(number) || input_ != nullptr) return;
  input_ = std::make_shared<InputSink>(std::move(sink));
  if (reader_ != nullptr) {
    expect_body();
    await_peer();
  }
  shared_->loop.post([self = shared_from_this(), number] {
    if (!self->answering(number) || self->input_ == nullptr) return;
    const bool no_body = self->reader_ == nullptr && !self->upgraded_;
    if (no_body && self->input_->on_end) std::exchange(self->input_, nullptr)->on_end();
    self->deliver_input();
    self->read();  // it has stopped when the peer sent a lot before the handler asked for it
  });
}

void Connection::pause_input(std::uint64_t number, bool paused) {
  if (!answering(number) || input_paused_ == paused) return;
  input_paused_ = paused;
  if (!writing_) await_peer();
  if (paused) return;
  shared_->loop.post([self = shared_from_this()] {
    self->deliver_input();
    self->read();
  });
}

/// Passes on what has arrived. A callback may pause the input, end the response or close the connection.
void Connection::deliver_input() {
  const auto sink = input_;
  while (sink != nullptr && input_ == sink && takes_input() && !input_paused_ && !in_.empty()) {
    if (upgraded_) {
      sink->on_data(std::exchange(in_, {}));
    } else {
      const std::size_t before = in_.size();
      deliver_body(sink);
      if (in_.size() == before) break;  // an incomplete chunk header waits for its rest
    }
  }
  if (sink != nullptr && input_ended_ && takes_input() && !input_paused_) lost();
}

void Connection::deliver_body(const std::shared_ptr<InputSink>& sink) {
  const auto [used, outcome] = reader_->put(in_);
  in_.erase(0, used);
  if (outcome != Outcome::kFine && outcome != Outcome::kNeedsMore) return lost();
  const std::string part = std::exchange(reader_->request.body, {});
  const std::uint64_t number = number_;
  if (reader_->is_done()) reader_.reset();
  if (!writing_) await_peer();
  if (!part.empty()) sink->on_data(part);
  if (!answering(number) || reader_ != nullptr || input_ != sink) return;
  input_.reset();
  if (sink->on_end) sink->on_end();
}

/// The rest of a body that nobody wants is discarded after the response, as after a rejected request.
void Connection::drop_input() {
  input_.reset();
  if (reader_ == nullptr) return;
  reader_.reset();
  in_.clear();
  keep_alive_ = false;
}

void Connection::await_peer() {
  const bool awaits_body = step_ == Step::kAnswering && !ended_ && reader_ != nullptr && !input_paused_;
  if (awaits_body) {
    set_deadline(shared_->limits.write_timeout);
  } else {
    deadline_.reset();
  }
}

void Connection::next_request() {
  step_ = Step::kReading;
  on_gone_ = nullptr;
  on_room_ = nullptr;
  set_deadline(shared_->limits.idle_timeout);
  parse();
  read();
}

void Connection::abandoned(std::uint64_t number) {
  if (!answering(number)) return;
  if (begun_ || input_ended_) {
    close();
    return;
  }
  Response response{.status = 500, .body = status_body(500, "InternalError", "the request was given up unanswered")};
  response.headers.set("Content-Type", "application/json");
  respond(number, std::move(response));
}

}  // namespace muster::net
