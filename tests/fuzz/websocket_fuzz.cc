// Any bytes as WebSocket frames: however the network splits them, the messages are the same, and none exceeds its
// limit.
#include "fuzz.h"
#include "net/web_socket.h"

namespace {

using muster::net::CloseCode;
using muster::net::FramePiece;
using muster::net::FrameReader;
using muster::net::WebSocketRole;

constexpr std::uint64_t kMostBytes = 1000;

struct Read {
  std::vector<std::string> items;
  std::optional<CloseCode> fault;
};

Read read_in_pieces(std::string_view bytes, std::size_t piece, WebSocketRole role) {
  FrameReader reader(role, kMostBytes);
  Read out;
  std::string message;
  bool open = false;
  while (!bytes.empty() && !out.fault) {
    out.fault = reader.put(bytes.substr(0, piece), [&](const FramePiece& part) {
      if (part.kind != FramePiece::Kind::kMessage) {
        CHECK(part.bytes.size() <= 125);
        out.items.push_back(std::to_string(static_cast<int>(part.kind)) + std::string(part.bytes));
        return true;
      }
      CHECK(part.first == !open);
      open = !part.last;
      message += part.bytes;
      CHECK(message.size() <= kMostBytes);
      if (part.last) out.items.push_back(std::exchange(message, {}));
      return true;
    });
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = muster::fuzz::text_of(data, size);
  for (const WebSocketRole role : {WebSocketRole::kServer, WebSocketRole::kClient}) {
    const Read whole = read_in_pieces(text, size + 1, role);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
      const Read pieces = read_in_pieces(text, piece, role);
      CHECK(whole.items == pieces.items);
      CHECK(whole.fault == pieces.fault);
    }
  }
  return 0;
}
