#include "net/web_socket.h"

#include <fmt/core.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace muster::net {
namespace {

constexpr unsigned kContinuation = 0;
constexpr unsigned kBinary = 2;
constexpr unsigned kClose = 8;
constexpr unsigned kPing = 9;
constexpr unsigned kPong = 10;
constexpr std::size_t kMaxControl = 125;
constexpr std::size_t kMaxUnsentPongs = 64 * 1024;  // a peer that sends pings and reads nothing gets no more answers
constexpr std::string_view kVersion = "13";

Error bad_handshake(std::string message) {
  return Error{.reason = Reason::kBadRequest, .message = "websocket: " + std::move(message)};
}

/// RFC 6455 4.2.2: proves that the server understood the handshake; it protects nothing.
std::string accept_value(std::string_view key) {
  const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  CHECK(EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) == 1);
  return base64_encode({reinterpret_cast<const char*>(digest.data()), size});
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t out = 0;
  for (const char c : bytes) out = out << 8 | static_cast<unsigned char>(c);
  return out;
}

void append_big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

/// Appends the bytes, masked or unmasked; `offset` is their position in the payload.
void append_masked(std::string& out, std::string_view bytes, std::uint32_t mask, std::uint64_t offset) {
  const std::size_t begin = out.size();
  out.append(bytes);
  if (mask == 0) return;
  std::array<char, 4> key{};
  for (std::size_t i = 0; i < 4; ++i) key[i] = static_cast<char>(mask >> (24 - 8 * ((offset + i) % 4)) & 0xff);
  for (std::size_t i = 0; i < bytes.size(); ++i) out[begin + i] = static_cast<char>(out[begin + i] ^ key[i % 4]);
}

/// Returns the size of the whole head, as far as it is known from what has arrived.
std::size_t head_size(std::string_view head) {
  if (head.size() < 2) return 2;
  const unsigned second = static_cast<unsigned char>(head[1]);
  const unsigned length = second & 0x7f;
  return 2 + (length == 126 ? 2U : length == 127 ? 8U : 0U) + ((second & 0x80) != 0 ? 4U : 0U);
}

FramePiece::Kind kind_of(unsigned opcode) {
  using Kind = FramePiece::Kind;
  return opcode == kPing    ? Kind::kPing
         : opcode == kPong  ? Kind::kPong
         : opcode == kClose ? Kind::kClose
                            : Kind::kMessage;
}

}  // namespace

Status check_handshake(const Request& request) {
  const Headers& headers = request.headers;
  if (!asks_for_upgrade(headers) || to_lower(headers.get("Upgrade")) != "websocket") {
    return bad_handshake("the headers Upgrade: websocket and Connection: Upgrade are missing");
  }
  if (request.method != "GET") return bad_handshake("the method must be GET, got " + request.method);
  if (headers.get("Sec-WebSocket-Version") != kVersion) {
    return bad_handshake(
        fmt::format("Sec-WebSocket-Version: must be 13, got {}", quote(headers.get("Sec-WebSocket-Version"))));
  }
  const auto key = base64_decode(headers.get("Sec-WebSocket-Key"));
  if (!key || key->size() != 16) return bad_handshake("Sec-WebSocket-Key: must be 16 bytes in base64");
  return ok();
}

std::vector<std::string> offered_protocols(const Headers& headers) {
  std::vector<std::string> out;
  for (const auto& [name, value] : headers) {
    if (to_lower(name) != "sec-websocket-protocol") continue;
    for (const std::string& word : split(value, ',')) {
      if (const std::string_view protocol = trim(word); !protocol.empty()) out.emplace_back(protocol);
    }
  }
  return out;
}

Result<std::string> choose_protocol(const Request& request, const std::vector<std::string>& served) {
  TRY(check_handshake(request));
  for (const std::string& offered : offered_protocols(request.headers)) {
    if (std::ranges::find(served, offered) != served.end()) return offered;
  }
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("Sec-WebSocket-Protocol: must offer {}, got {}", join(served, " or "),
                                      quote(request.headers.get("Sec-WebSocket-Protocol")))};
}

Headers accept_handshake(const Request& request, const std::string& protocol) {
  Headers out{{"Upgrade", "websocket"},
              {"Connection", "Upgrade"},
              {"Sec-WebSocket-Accept", accept_value(request.headers.get("Sec-WebSocket-Key"))}};
  if (!protocol.empty()) out.add("Sec-WebSocket-Protocol", protocol);
  return out;
}

std::string make_handshake_key(Rng& rng) {
  std::string bytes;
  append_big_endian(bytes, rng.next(), 8);
  append_big_endian(bytes, rng.next(), 8);
  return base64_encode(bytes);
}

Headers make_handshake(const std::string& key, const std::vector<std::string>& protocols) {
  Headers out{{"Upgrade", "websocket"},
              {"Connection", "Upgrade"},
              {"Sec-WebSocket-Version", std::string(kVersion)},
              {"Sec-WebSocket-Key", key}};
  if (!protocols.empty()) out.add("Sec-WebSocket-Protocol", join(protocols, ", "));
  return out;
}

Status check_accepted(const Headers& headers, const std::string& key, const std::vector<std::string>& protocols) {
  if (to_lower(headers.get("Upgrade")) != "websocket" || headers.get("Sec-WebSocket-Accept") != accept_value(key)) {
    return bad_handshake("the server did not accept the handshake; a proxy in between may not support it");
  }
  const std::string_view chosen = headers.get("Sec-WebSocket-Protocol");
  if (!protocols.empty() && std::ranges::find(protocols, chosen) == protocols.end()) {
    return bad_handshake(fmt::format("the server must choose one of {}, got {}", join(protocols, ", "), quote(chosen)));
  }
  return ok();
}

std::optional<CloseCode> FrameReader::put(std::string_view bytes, const std::function<bool(const FramePiece&)>& take) {
  for (;;) {
    while (!in_payload_) {
      if (bytes.empty()) return std::nullopt;
      const std::size_t missing = head_size(head_) - head_.size();
      head_.append(bytes.substr(0, missing));
      bytes.remove_prefix(std::min(missing, bytes.size()));
      if (head_.size() < head_size(head_)) continue;
      if (const auto fault = read_head()) return fault;
    }
    // A frame without payload is complete with its head.
    if (bytes.empty() && left_ > 0) return std::nullopt;
    const std::string_view part = bytes.substr(0, std::min<std::uint64_t>(left_, bytes.size()));
    bytes.remove_prefix(part.size());
    if (!deliver(part, take)) return std::nullopt;
  }
}

std::optional<CloseCode> FrameReader::read_head() {
  const unsigned first = static_cast<unsigned char>(head_[0]);
  const unsigned second = static_cast<unsigned char>(head_[1]);
  const bool is_masked = (second & 0x80) != 0;
  final_ = (first & 0x80) != 0;
  opcode_ = first & 0x0f;
  const unsigned length = second & 0x7f;
  const std::size_t longer = length == 126 ? 2 : length == 127 ? 8 : 0;
  left_ = longer == 0 ? length : big_endian(std::string_view(head_).substr(2, longer));
  mask_ = is_masked ? static_cast<std::uint32_t>(big_endian(std::string_view(head_).substr(head_.size() - 4))) : 0;
  masked_ = 0;
  head_.clear();
  control_.clear();
  in_payload_ = true;

  const bool reserved = (first & 0x70) != 0;
  const bool known = opcode_ <= kBinary || (opcode_ >= kClose && opcode_ <= kPong);
  if (reserved || !known || is_masked != (role_ == WebSocketRole::kServer)) return CloseCode::kProtocolError;
  if (is_control()) {
    if (!final_ || left_ > kMaxControl) return CloseCode::kProtocolError;
    return std::nullopt;
  }
  const bool continues = opcode_ == kContinuation;
  if (continues != in_message_) return CloseCode::kProtocolError;
  if (!continues) {
    in_message_ = true;
    message_begun_ = false;
    message_bytes_ = 0;
  }
  if (left_ > max_message_ - message_bytes_) return CloseCode::kTooLarge;
  message_bytes_ += left_;
  return std::nullopt;
}

/// Delivers a part of the current payload. Returns false when the receiver wants no more.
bool FrameReader::deliver(std::string_view bytes, const std::function<bool(const FramePiece&)>& take) {
  std::string& target = is_control() ? control_ : scratch_;
  if (!is_control()) target.clear();
  append_masked(target, bytes, mask_, masked_);
  masked_ += bytes.size();
  left_ -= bytes.size();
  const bool frame_ends = left_ == 0;
  if (frame_ends) in_payload_ = false;
  if (is_control() && !frame_ends) return true;
  FramePiece piece{.kind = kind_of(opcode_), .bytes = target};
  if (!is_control()) {
    piece.first = !std::exchange(message_begun_, true);
    piece.last = frame_ends && final_;
    if (piece.last) in_message_ = false;
  }
  return take(piece);
}

std::string make_frame(unsigned opcode, std::string_view prefix, std::string_view payload,
                       std::optional<std::uint32_t> mask) {
  const std::size_t size = prefix.size() + payload.size();
  std::string out;
  out.reserve(size + 14);
  out += static_cast<char>(0x80 | opcode);
  const unsigned mask_bit = mask ? 0x80 : 0;
  if (size < 126) {
    out += static_cast<char>(mask_bit | size);
  } else if (size <= 0xffff) {
    out += static_cast<char>(mask_bit | 126);
    append_big_endian(out, size, 2);
  } else {
    out += static_cast<char>(mask_bit | 127);
    append_big_endian(out, size, 8);
  }
  if (mask) append_big_endian(out, *mask, 4);
  append_masked(out, prefix, mask.value_or(0), 0);
  append_masked(out, payload, mask.value_or(0), prefix.size());
  return out;
}

void WebSocket::take(std::string_view bytes) {
  if (closed_) return;
  const auto self = shared_from_this();  // a callback may drop the last other reference
  const auto fault = reader_.put(bytes, [this](const FramePiece& piece) { return on_piece(piece); });
  if (!fault || closed_) return;
  const char* reason = *fault == CloseCode::kTooLarge ? "message too large" : "protocol error";
  close(*fault, reason);
  closed(*fault, reason);
}

bool WebSocket::on_piece(const FramePiece& piece) {
  switch (piece.kind) {
    case FramePiece::Kind::kMessage:
      if (sink_.on_message) sink_.on_message(piece.bytes, piece.first, piece.last);
      break;
    case FramePiece::Kind::kPing:
      if (stream_.unsent() < kMaxUnsentPongs) send_frame(kPong, piece.bytes);
      break;
    case FramePiece::Kind::kPong:
      break;
    case FramePiece::Kind::kClose: {
      const bool has_code = piece.bytes.size() >= 2;
      const auto code = has_code ? static_cast<CloseCode>(big_endian(piece.bytes.substr(0, 2))) : CloseCode::kNoCode;
      const std::string reason(has_code ? piece.bytes.substr(2) : "");
      send_frame(kClose, piece.bytes.substr(0, has_code ? 2 : 0));
      close_sent_ = true;
      closed(code, reason);
      break;
    }
  }
  return !closed_;
}

void WebSocket::closed(CloseCode code, const std::string& reason) {
  closed_ = true;
  if (sink_.on_close) sink_.on_close(code, reason);
}

void WebSocket::send(std::string_view payload, std::string_view prefix) {
  send_frame(kBinary, payload, prefix);
}

void WebSocket::ping() {
  send_frame(kPing, {});
}

void WebSocket::close(CloseCode code, std::string_view reason) {
  std::string payload;
  append_big_endian(payload, static_cast<std::uint16_t>(code), 2);
  std::size_t size = std::min(reason.size(), kMaxControl - 2);
  // A reason is UTF-8, so no character is cut in two.
  while (size > 0 && size < reason.size() && (static_cast<unsigned char>(reason[size]) & 0xc0) == 0x80) --size;
  payload.append(reason.substr(0, size));
  send_frame(kClose, payload);
  close_sent_ = true;
}

void WebSocket::send_frame(unsigned opcode, std::string_view payload, std::string_view prefix) {
  if (close_sent_) return;
  std::optional<std::uint32_t> mask;
  if (role_ == WebSocketRole::kClient) mask = static_cast<std::uint32_t>(masks_->next());
  stream_.write(std::make_shared<const std::string>(make_frame(opcode, prefix, payload, mask)));
}

}  // namespace muster::net
