#include "apiserver/verbs/spdy_forward.h"

#include <fmt/core.h>

#include "base/strings.h"

namespace muster::apiserver {

using net::SpdyFrame;
using net::SpdyStatus;
using net::SpdyWriter;

std::optional<int> parse_port(std::string_view text) {
  const auto port = parse_int(text);
  if (!port || *port < 1 || *port > 65535) return std::nullopt;
  return static_cast<int>(*port);
}

std::string forward_error(int port, const std::string& pod, const std::string& why) {
  return fmt::format("error forwarding port {} to pod {}: {}", port, pod, why);
}

void SpdyForward::start(const net::Request& handshake, const std::string& protocol) {
  net::ServerWebSocket::Sink sink;
  sink.on_message = [this](std::string_view bytes, bool, bool) {
    const Status read = reader_.put(bytes, [this](const SpdyFrame& frame) {
      take(frame);
      return true;
    });
    if (!read) socket_.close(net::CloseCode::kProtocolError, read.error().message);
  };
  sink.on_full = [this](bool is_full) { on_full(is_full); };
  sink.on_end = [this] {
    full_.clear();
    connections_.clear();
    streams_.clear();
    kept_.reset();
  };
  socket_.start(shared_from_this(), handshake, protocol, std::move(sink));
}

void SpdyForward::take(const SpdyFrame& frame) {
  switch (frame.kind) {
    case SpdyFrame::Kind::kStream:
      return open_stream(frame);
    case SpdyFrame::Kind::kData:
      return from_client(frame);
    case SpdyFrame::Kind::kReset:
      return on_reset(frame);
    case SpdyFrame::Kind::kPing:
      // The numbers of the client's pings are odd; an even one would answer ours.
      if (frame.stream % 2 == 1) send_frame(writer_.ping(frame.stream));
      return;
    case SpdyFrame::Kind::kGoAway:
      client_leaves_ = true;
      if (connections_.empty()) socket_.close(net::CloseCode::kNormal);
      return;
    case SpdyFrame::Kind::kReply:
      return;  // of a stream that we have opened, and we open none
  }
}

void SpdyForward::open_stream(const SpdyFrame& frame) {
  const std::string_view type = frame.header("streamtype");
  const std::string id(frame.header("requestid"));
  const auto port = parse_port(frame.header("port"));
  const bool is_data = type == "data";
  const bool is_next = frame.stream % 2 == 1 && frame.stream > last_stream_;
  if (!is_next || id.empty() || !port || (!is_data && type != "error")) {
    return refuse(frame.stream, SpdyStatus::kProtocolError);
  }
  last_stream_ = frame.stream;
  const auto known = connections_.find(id);
  if (client_leaves_ || (known == connections_.end() && connections_.size() >= kMostConnections)) {
    return refuse(frame.stream, SpdyStatus::kRefusedStream);
  }
  Connection& connection = known == connections_.end() ? connections_[id] : known->second;
  std::uint32_t& place = is_data ? connection.data : connection.errors;
  if (place != 0 || connection.session || (connection.port != 0 && connection.port != *port)) {
    return refuse(frame.stream, SpdyStatus::kProtocolError);
  }
  place = frame.stream;
  connection.port = *port;
  if (!frame.header(net::kSpdyHalfClose).empty()) connection.half_closes = true;
  streams_[frame.stream] = {.connection = id, .is_data = is_data};
  send_frame(writer_.reply(frame.stream));
  if (connection.data != 0 && connection.errors != 0) connect(id);
  if (is_data && frame.is_last && connection.session) connection.session->finish();
}

void SpdyForward::connect(const std::string& id) {
  node::PortSink sink;
  sink.on_connected = [weak = weak_from_this(), id] {
    const auto self = weak.lock();
    if (self && self->connections_.contains(id)) self->connections_.at(id).is_connected = true;
  };
  sink.on_bytes = [weak = weak_from_this(), id](std::string_view bytes) {
    if (const auto self = weak.lock()) self->from_program(id, bytes);
  };
  sink.on_finish = [weak = weak_from_this(), id] {
    const auto self = weak.lock();
    if (!self || !self->connections_.contains(id)) return;
    Connection& connection = self->connections_.at(id);
    self->finish_data(connection);
    // Before 1.32, kubectl closes its own connection only when the stream for errors has ended.
    if (!connection.half_closes) self->finish_errors(connection);
  };
  sink.on_end = [weak = weak_from_this(), id](const Status& how) {
    if (const auto self = weak.lock()) self->end(id, how);
  };
  Connection& connection = connections_.at(id);
  auto session = open_(connection.port, std::move(sink));
  if (!session) return end(id, session.error());
  connection.session = *std::move(session);
  if (socket_.is_full()) connection.session->pause();
}

void SpdyForward::from_client(const SpdyFrame& frame) {
  const auto stream = streams_.find(frame.stream);
  // What comes for a stream that has ended, or on one for errors, is ignored, as a kubelet does.
  if (stream == streams_.end() || !stream->second.is_data) return;
  const std::string& id = stream->second.connection;
  Connection& connection = connections_.at(id);
  if (connection.session == nullptr) return;
  if (!frame.bytes.empty()) connection.session->write(frame.bytes);
  if (frame.is_last) connection.session->finish();
  if (connection.session->unsent() > kMostUnsentToPort) wait_for_room(id);
}

/// SPDY could make one stream wait, but Kubernetes' clients cannot. So all connections of the client do.
void SpdyForward::wait_for_room(const std::string& id) {
  if (!full_.insert(id).second) return;
  socket_.pause_input();
  connections_.at(id).session->when_room(kMostUnsentToPort / 2, [weak = weak_from_this(), id] {
    if (const auto self = weak.lock()) self->resume_client(id);
  });
}

void SpdyForward::resume_client(const std::string& id) {
  if (full_.erase(id) > 0 && full_.empty()) socket_.resume_input();
}

void SpdyForward::on_reset(const SpdyFrame& frame) {
  const auto stream = streams_.find(frame.stream);
  if (stream == streams_.end()) return;
  const auto [id, is_data] = stream->second;
  streams_.erase(stream);
  Connection& connection = connections_.at(id);
  (is_data ? connection.data : connection.errors) = 0;
  // Nobody can use the other stream of a connection that was never made.
  if (is_data || connection.session == nullptr) end(id, ok());
}

void SpdyForward::from_program(const std::string& id, std::string_view bytes) {
  const auto found = connections_.find(id);
  if (found == connections_.end() || found->second.data == 0) return;
  socket_.send(bytes, SpdyWriter::data_head(found->second.data, bytes.size(), false));
}

void SpdyForward::finish_data(Connection& connection) {
  if (connection.data == 0 || std::exchange(connection.data_finished, true)) return;
  send_frame(SpdyWriter::data_head(connection.data, 0, true));
}

void SpdyForward::finish_errors(Connection& connection) {
  if (connection.errors == 0 || std::exchange(connection.errors_finished, true)) return;
  send_frame(SpdyWriter::data_head(connection.errors, 0, true));
}

/// A connection that could not be made has an error. One that broke later just ends: kubectl would stop at an error.
void SpdyForward::end(const std::string& id, const Status& how) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  if (connection.errors != 0 && !how && !connection.is_connected) {
    const std::string text = forward_error(connection.port, pod_, how.error().message);
    socket_.send(text, SpdyWriter::data_head(connection.errors, text.size(), false));
  }
  finish_errors(connection);
  finish_data(connection);
  streams_.erase(connection.data);
  streams_.erase(connection.errors);
  connections_.erase(found);
  resume_client(id);
  if (client_leaves_ && connections_.empty()) socket_.close(net::CloseCode::kNormal);
}

void SpdyForward::on_full(bool is_full) {
  for (auto& [id, connection] : connections_) {
    if (connection.session == nullptr) continue;
    is_full ? connection.session->pause() : connection.session->resume();
  }
}

}  // namespace muster::apiserver
