#include "net/server_connection.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <iterator>

#include "net/message_text.h"

namespace muster::net {

namespace http = boost::beast::http;

namespace {

constexpr std::size_t kReadBytes = 8 * 1024;  // per read, so that little unparsed input accumulates
constexpr std::size_t kBatchBytes = 256 * 1024;
constexpr std::size_t kBatchPieces = 60;  // Asio passes at most 64 buffers to one sendmsg; TLS joins them anyway

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
  socket_->read_some(kReadBytes, [self = shared_from_this()](const IoEnd& end, std::string_view bytes) {
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
  const bool refused = step_ == Step::kLingering || (step_ == Step::kAnswering && !keep_alive_);
  if (refused && (discarded_ += bytes.size()) > shared_->limits.body_bytes) {
    lost();
    return;
  }
  if (!refused) in_.append(bytes);
  if (step_ == Step::kReading) parse();
  read();
}

void Connection::on_input_end() {
  // A peer that only closed its sending half still gets the response to its request. A stream in progress ends here:
  // closing is how a peer cancels it.
  if (step_ == Step::kAnswering && !begun_) {
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
  if (!host_name(headers.get("Host"))) return "the Host header must be a name or address, and a port at most";
  if (headers.count("Authorization") > 1) return "there must be one Authorization header";
  if (headers.count("Content-Length") > 1) return "there must be one Content-Length header";
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
  if (!reader_->is_done()) expect_body();
  return step_ == Step::kReading;
}

void Connection::expect_body() {
  body_began_ = shared_->loop.mono();
  set_deadline(shared_->limits.head_timeout);
  reader_->expect_body();
  if (!reader_->waits_for_continue) return;
  lead_ += "HTTP/1.1 100 Continue\r\n\r\n";
  flush();
}

void Connection::dispatch() {
  Request request = std::move(reader_->request);
  reader_.reset();
  step_ = Step::kAnswering;
  begun_ = chunked_ = ended_ = end_sent_ = false;
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
  begun_ = chunked_ = ended_ = end_sent_ = false;
  keep_alive_ = false;
  Response response{.status = status, .body = status_body(status, reason, message)};
  response.headers.set("Content-Type", "application/json");
  if (status == 503) response.headers.set("Retry-After", "1");
  respond(++number_, std::move(response));
}

void Connection::next_request() {
  step_ = Step::kReading;
  on_gone_ = nullptr;
  on_room_ = nullptr;
  set_deadline(shared_->limits.idle_timeout);
  parse();
  read();
}

// ---- the response ----

bool Connection::answering(std::uint64_t number) const {
  return step_ == Step::kAnswering && number == number_ && !ended_;
}

void Connection::respond(std::uint64_t number, Response response) {
  if (!answering(number) || begun_) return;
  begun_ = ended_ = true;
  const bool bodiless = response.status == 204 || response.status == 304;
  std::size_t size = response.body.size();
  for (const Bytes& piece : response.pieces) size += piece->size();
  put_head(response.status, response.headers, bodiless ? std::nullopt : std::optional(size));
  if (!head_only_ && !bodiless) {
    unsent_ += size;
    if (!response.body.empty()) queue_.push_back(std::make_shared<const std::string>(std::move(response.body)));
    std::ranges::move(response.pieces, std::back_inserter(queue_));
  }
  flush();
}

void Connection::begin(std::uint64_t number, int status, const Headers& headers) {
  if (!answering(number) || begun_) return;
  begun_ = true;
  chunked_ = !http_1_0_;
  if (http_1_0_) keep_alive_ = false;  // the end of the connection marks the end of the body
  put_head(status, headers, std::nullopt);
  if (head_only_) chunked_ = false;
  flush();
}

void Connection::write(std::uint64_t number, Bytes bytes) {
  if (!answering(number) || !begun_ || head_only_ || bytes == nullptr || bytes->empty()) return;
  unsent_ += bytes->size();
  queue_.push_back(std::move(bytes));
  flush_soon();
}

void Connection::finish(std::uint64_t number) {
  if (!answering(number) || !begun_) return;
  ended_ = true;
  flush();
}

std::size_t Connection::unsent(std::uint64_t number) const {
  return number == number_ ? unsent_ : 0;
}

void Connection::when_room(std::uint64_t number, std::size_t bytes, Task task) {
  if (!answering(number)) return;
  room_ = bytes;
  on_room_ = std::move(task);
  tell_room();
}

void Connection::tell_room() {
  if (on_room_ && unsent_ <= room_) shared_->loop.post(std::exchange(on_room_, nullptr));
}

void Connection::abort(std::uint64_t number) {
  if (answering(number)) close();
}

void Connection::on_gone(std::uint64_t number, Task task) {
  if (answering(number) && !input_ended_) {
    on_gone_ = std::move(task);
  } else if (number == number_ && !ended_) {
    shared_->loop.post(std::move(task));  // the peer has already gone
  }
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

// ---- output ----

void Connection::put_head(int status, const Headers& headers, std::optional<std::size_t> length) {
  const auto phrase = http::obsolete_reason(static_cast<http::status>(status));
  lead_ += fmt::format("HTTP/1.1 {} {}\r\n", status, std::string_view(phrase.data(), phrase.size()));
  if (!headers.has("Date")) append_header(lead_, "Date", shared_->date());
  for (const auto& [name, value] : headers) append_header(lead_, name, value);
  if (length) append_header(lead_, "Content-Length", std::to_string(*length));
  if (chunked_) append_header(lead_, "Transfer-Encoding", "chunked");
  if (input_ended_) keep_alive_ = false;
  if (!keep_alive_) {
    append_header(lead_, "Connection", "close");
  } else if (http_1_0_) {
    append_header(lead_, "Connection", "keep-alive");
  }
  lead_ += "\r\n";
}

/// Takes as much of the queue as one write should carry, and frames it as one chunk if the response is chunked.
void Connection::take_batch() {
  batch_ = Batch{.lead = std::move(lead_)};
  lead_.clear();
  std::vector<std::string_view> slices;
  while (!queue_.empty() && (peer_.tls || slices.size() < kBatchPieces) && batch_.payload < kBatchBytes) {
    Bytes& front = queue_.front();
    const std::string_view rest = std::string_view(*front).substr(queue_offset_);
    const std::string_view slice = rest.substr(0, kBatchBytes - batch_.payload);
    slices.push_back(slice);
    batch_.payload += slice.size();
    if (slice.size() == rest.size()) {
      batch_.held.push_back(std::move(front));
      queue_.pop_front();
      queue_offset_ = 0;
    } else {
      batch_.held.push_back(front);
      queue_offset_ += slice.size();
    }
  }
  static constexpr std::string_view kLineEnd = "\r\n";
  static constexpr std::string_view kLastChunk = "0\r\n\r\n";
  if (chunked_ && batch_.payload > 0) batch_.lead += fmt::format("{:x}\r\n", batch_.payload);
  if (!batch_.lead.empty()) batch_.pieces.push_back(batch_.lead);
  batch_.pieces.insert(batch_.pieces.end(), slices.begin(), slices.end());
  if (chunked_ && batch_.payload > 0) batch_.pieces.push_back(kLineEnd);
  if (ended_ && queue_.empty()) {
    if (chunked_) batch_.pieces.push_back(kLastChunk);
    end_sent_ = true;
  }
}

/// Data written within one turn of the loop, such as the events of one commit, is sent together.
void Connection::flush_soon() {
  if (writing_ || std::exchange(flush_posted_, true)) return;
  shared_->loop.post([self = shared_from_this()] {
    self->flush_posted_ = false;
    self->flush();
  });
}

void Connection::flush() {
  if (writing_ || step_ == Step::kClosed || step_ == Step::kLingering) return;
  if (lead_.empty() && queue_.empty() && (!ended_ || end_sent_ || step_ != Step::kAnswering)) return;
  take_batch();
  if (batch_.pieces.empty()) {  // a body that ends by its length or with the connection
    answer_complete();
    return;
  }
  writing_ = true;
  if (step_ == Step::kAnswering) set_deadline(shared_->limits.write_timeout);
  socket_->write(batch_.pieces, [self = shared_from_this()](const IoEnd& end) {
    self->writing_ = false;
    if (self->step_ != Step::kClosed) self->on_written(end);
  });
}

void Connection::on_written(const IoEnd& end) {
  unsent_ -= batch_.payload;
  batch_ = Batch{};
  if (!end.ok()) {
    lost();
    return;
  }
  tell_room();
  if (step_ == Step::kAnswering) {
    deadline_.reset();
    if (end_sent_) {
      answer_complete();
      return;
    }
  }
  flush();
}

void Connection::answer_complete() {
  if (keep_alive_ && !input_ended_) {
    next_request();
  } else {
    linger();
  }
}

/// Closing while input is still unread would reset the connection, and the peer might lose the response.
void Connection::linger() {
  on_gone_ = nullptr;
  on_room_ = nullptr;
  if (input_ended_) {
    close();
    return;
  }
  step_ = Step::kLingering;
  in_.clear();
  set_deadline(shared_->limits.linger_timeout);
  socket_->shutdown_write();
  read();
}

}  // namespace muster::net
