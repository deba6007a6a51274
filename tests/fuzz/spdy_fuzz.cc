// Any bytes as SPDY frames: however the network splits them, the frames are the same, and headers keep to their limit.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz.h"
#include "net/spdy.h"

namespace {

using muster::net::SpdyFrame;
using muster::net::SpdyReader;

struct SpdyRead {
  std::vector<std::string> frames;
  std::string data;
  std::string fault;
};

SpdyRead read_spdy(std::string_view bytes, std::size_t piece) {
  SpdyReader reader;
  SpdyRead out;
  while (!bytes.empty() && out.fault.empty()) {
    const muster::Status read = reader.put(bytes.substr(0, piece), [&](const SpdyFrame& frame) {
      if (frame.kind == SpdyFrame::Kind::kData) {
        out.data += frame.bytes;
        if (frame.is_last) out.frames.push_back("end " + std::to_string(frame.stream));
        return true;
      }
      std::string text = std::to_string(static_cast<int>(frame.kind)) + " " + std::to_string(frame.stream);
      std::size_t header_bytes = 0;
      for (const auto& [name, value] : frame.headers) {
        text += "\n" + name + ": " + value;
        header_bytes += name.size() + value.size();
      }
      CHECK(header_bytes <= SpdyReader::kMaxHeaders);
      out.frames.push_back(text);
      return true;
    });
    if (!read) out.fault = read.error().message;
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = muster::fuzz::text_of(data, size);
  const SpdyRead whole = read_spdy(text, size + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
    const SpdyRead pieces = read_spdy(text, piece);
    CHECK(whole.frames == pieces.frames);
    CHECK(whole.data == pieces.data);
    CHECK(whole.fault == pieces.fault);
  }
  return 0;
}
