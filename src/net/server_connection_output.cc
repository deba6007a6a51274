// The half of Connection that writes responses.
#include <fmt/core.h>

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <iterator>

#include "net/message_text.h"
#include "net/server_connection.h"

namespace muster::net {

namespace http = boost::beast::http;

namespace {

constexpr std::size_t kBatchBytes = 256 * 1024;
constexpr std::size_t kBatchPieces = 60;  // Asio passes at most 64 buffers to one sendmsg; TLS joins them anyway

}  // namespace

bool Connection::answering(std::uint64_t number) const {
  return step_ == Step::kAnswering && number == number_ && !ended_;
}

void Connection::respond(std::uint64_t number, Response response) {
  if (!answering(number) || begun_) return;
  drop_input();
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
  upgraded_ = status == 101;
  const bool has_length = headers.has("Content-Length");
  chunked_ = !http_1_0_ && !upgraded_ && !has_length;
  if (!chunked_ && !has_length) keep_alive_ = false;  // the end of the connection marks the end of the body
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
  drop_input();
  ended_ = true;
  if (upgraded_) set_deadline(shared_->limits.write_timeout);
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

// ---- output ----

void Connection::put_head(int status, const Headers& headers, std::optional<std::size_t> length) {
  const auto phrase = http::obsolete_reason(static_cast<http::status>(status));
  lead_ += fmt::format("HTTP/1.1 {} {}\r\n", status, std::string_view(phrase.data(), phrase.size()));
  if (!headers.has("Date")) append_header(lead_, "Date", shared_->date());
  for (const auto& [name, value] : headers) append_header(lead_, name, value);
  if (length) append_header(lead_, "Content-Length", std::to_string(*length));
  if (chunked_) append_header(lead_, "Transfer-Encoding", "chunked");
  if (input_ended_) keep_alive_ = false;
  if (upgraded_) {
    // The handler's headers say what the connection becomes.
  } else if (!keep_alive_) {
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
  // The user of an upgraded connection may look at a full screen for hours.
  const bool has_time = upgraded_ && !ended_;
  if (step_ == Step::kAnswering && !has_time) set_deadline(shared_->limits.write_timeout);
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
    await_peer();
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
