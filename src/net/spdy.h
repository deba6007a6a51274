// SPDY/3.1 frames, as far as Kubernetes' port-forward uses them: streams, data, resets, pings. Pure: bytes in, frames
// out, and back. Nobody who speaks this to Kubernetes keeps SPDY's windows, so there are none here; who reads too
// slowly stops to be read from.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

struct z_stream_s;  // zlib's

namespace muster::net {

struct SpdyFrame {
  enum class Kind { kStream, kReply, kReset, kData, kPing, kGoAway };
  using Headers = std::vector<std::pair<std::string, std::string>>;

  Kind kind = Kind::kData;
  std::uint32_t stream = 0;     // also the number of a ping
  bool is_last = false;         // the sender sends nothing more on this stream
  std::uint32_t status = 0;     // why a stream was reset
  Headers headers = {};         // of kStream and kReply; names are in lower case
  std::string_view bytes = {};  // of kData: a piece of the frame, valid only during the callback

  /// "" when there is no such header.
  std::string_view header(std::string_view name) const;
};

/// A header of the streams of a port-forward: the client reads on until the stream for errors ends, so it ends last.
inline constexpr std::string_view kSpdyHalfClose = "muster-half-close";

/// Why a stream is reset (SPDY/3.1, 2.6.3).
enum class SpdyStatus : std::uint32_t { kProtocolError = 1, kRefusedStream = 3, kCancel = 5 };

struct ZlibEnd {
  bool inflates = false;
  void operator()(z_stream_s* stream) const;
};

/// Turns the bytes of a peer into frames. Data is delivered as it arrives; other frames have a small limit.
class SpdyReader {
 public:
  SpdyReader();

  /// Fails when the peer violates the protocol; nothing may follow. `take` returns false to stop.
  Status put(std::string_view bytes, const std::function<bool(const SpdyFrame&)>& take);

  static constexpr std::size_t kMaxFrame = std::size_t{16} << 10;    // of a frame other than data
  static constexpr std::size_t kMaxHeaders = std::size_t{64} << 10;  // of its headers, after decompression

 private:
  Result<std::optional<SpdyFrame>> read_control();
  Result<SpdyFrame::Headers> read_headers(std::string_view block);
  Result<std::string> inflate(std::string_view block);

  std::unique_ptr<z_stream_s, ZlibEnd> zlib_;  // one for all headers that this side reads
  std::string head_;                           // of the frame, until its eight bytes are complete
  std::string control_;                        // the rest of a frame other than data
  std::size_t left_ = 0;                       // of the frame
  bool in_frame_ = false;
};

/// Makes frames. The frames must be sent in the order in which they were made, because headers share one compressor.
class SpdyWriter {
 public:
  SpdyWriter();

  std::string open(std::uint32_t stream, const SpdyFrame::Headers& headers, bool is_last);
  std::string reply(std::uint32_t stream);
  std::string reset(std::uint32_t stream, SpdyStatus status);
  std::string ping(std::uint32_t number);
  /// What goes before so many bytes of data, less than 16 MiB.
  static std::string data_head(std::uint32_t stream, std::size_t size, bool is_last);

 private:
  std::string deflate(const SpdyFrame::Headers& headers);

  std::unique_ptr<z_stream_s, ZlibEnd> zlib_;
};

}  // namespace muster::net
