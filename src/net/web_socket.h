// WebSocket (RFC 6455) over a ByteStream: the headers of the handshake, the frames, ping, pong and close. Loop thread
// only. Extensions are not negotiated.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ports.h"
#include "base/result.h"
#include "net/http.h"

namespace muster::net {

// ---- the handshake ----

/// Fails with BadRequest when the request is not the handshake of a client.
Status check_handshake(const Request& request);
/// The subprotocols that the client offers, in its order of preference.
std::vector<std::string> offered_protocols(const Headers& headers);
/// Returns the first of the client's protocols that is served. Fails with BadRequest, also as check_handshake() does.
Result<std::string> choose_protocol(const Request& request, const std::vector<std::string>& served);
/// The headers of status 101. `protocol` is one of those offered, or "".
Headers accept_handshake(const Request& request, const std::string& protocol);

/// The headers of a client's handshake. The key is random, 16 bytes in base64.
Headers make_handshake(const std::string& key, const std::vector<std::string>& protocols);
std::string make_handshake_key(Rng& rng);
/// Fails unless the server accepted this key and one of the protocols.
Status check_accepted(const Headers& headers, const std::string& key, const std::vector<std::string>& protocols);

// ---- frames ----

enum class WebSocketRole { kServer, kClient };

/// The codes of close frames that are used here (RFC 6455, 7.4.1).
enum class CloseCode : std::uint16_t {
  kNormal = 1000,
  kGoingAway = 1001,
  kProtocolError = 1002,
  kNoCode = 1005,  // stands for a close frame without a code, and is never sent
  kTooLarge = 1009,
  kInternalError = 1011,
};

/// A piece of a message, or a whole control frame.
struct FramePiece {
  enum class Kind { kMessage, kPing, kPong, kClose };
  Kind kind = Kind::kMessage;
  std::string_view bytes;  // unmasked; valid only during the callback
  bool first = true;       // of a message
  bool last = true;
};

/// Turns the bytes of a peer into pieces of messages. A message is delivered as it arrives, so it need not fit into
/// memory; the limit stops a peer that never ends one.
class FrameReader {
 public:
  FrameReader(WebSocketRole own_role, std::uint64_t max_message) : role_(own_role), max_message_(max_message) {}

  /// Returns the code to close with when the peer violates the protocol; nothing may follow. `take` returns false to
  /// stop.
  std::optional<CloseCode> put(std::string_view bytes, const std::function<bool(const FramePiece&)>& take);

 private:
  std::optional<CloseCode> read_head();
  bool deliver(std::string_view bytes, const std::function<bool(const FramePiece&)>& take);
  bool is_control() const { return (opcode_ & 8) != 0; }

  WebSocketRole role_;
  std::uint64_t max_message_;
  std::string head_;  // of the frame, until it is complete
  bool in_payload_ = false;
  bool final_ = false;
  unsigned opcode_ = 0;
  std::uint64_t left_ = 0;  // of the payload
  std::uint64_t masked_ = 0;
  std::uint32_t mask_ = 0;
  std::string control_;  // payload of a control frame, which is delivered whole
  std::string scratch_;
  bool in_message_ = false;
  bool message_begun_ = false;
  std::uint64_t message_bytes_ = 0;
};

/// Returns a final frame with both parts as its payload. A client must mask, a server must not.
std::string make_frame(unsigned opcode, std::string_view prefix, std::string_view payload,
                       std::optional<std::uint32_t> mask);

// ---- the connection ----

struct WebSocketSink {
  /// The pieces of each message in order. Text and binary messages are not told apart.
  UniqueFunction<void(std::string_view bytes, bool first, bool last)> on_message;
  /// Called once, with the code of the peer's close frame, or with the code that we close with because of its fault.
  UniqueFunction<void(CloseCode code, const std::string& reason)> on_close;
};

/// One side of an established WebSocket. The owner passes received bytes to take(), and keeps the stream open until
/// on_close or until it closes by itself.
class WebSocket : public std::enable_shared_from_this<WebSocket> {
 public:
  /// `stream` must outlive the WebSocket. Clients need `masks`.
  WebSocket(ByteStream& stream, WebSocketRole role, Rng* masks, WebSocketSink sink)
      : stream_(stream), role_(role), masks_(masks), sink_(std::move(sink)), reader_(role, kMaxMessage) {}

  void take(std::string_view bytes);
  /// Sends a binary message; `prefix` is put before the payload, for protocols with a channel number.
  void send(std::string_view payload, std::string_view prefix = {});
  /// A peer that has disappeared without a trace is noticed when it does not take this.
  void ping();
  /// Sends a close frame, and nothing after it.
  void close(CloseCode code, std::string_view reason = {});

  static constexpr std::uint64_t kMaxMessage = std::uint64_t{32} << 20;  // as in Kubernetes

 private:
  void send_frame(unsigned opcode, std::string_view payload, std::string_view prefix = {});
  bool on_piece(const FramePiece& piece);
  void closed(CloseCode code, const std::string& reason);

  ByteStream& stream_;
  WebSocketRole role_;
  Rng* masks_;
  WebSocketSink sink_;
  FrameReader reader_;
  bool close_sent_ = false;
  bool closed_ = false;
};

}  // namespace muster::net
