#include "net/spdy.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace muster::net {
namespace {

constexpr std::size_t kHeadBytes = 8;
constexpr std::uint16_t kSpdyVersion = 3;
constexpr unsigned char kFlagLast = 1;
constexpr unsigned char kControlBit = 0x80;

enum Type : std::uint16_t {
  kSynStream = 1,
  kSynReply = 2,
  kRstStream = 3,
  kSettings = 4,
  kPingFrame = 6,
  kGoAwayFrame = 7,
  kHeadersFrame = 8,
  kWindowUpdate = 9,
};

void put_32(std::string& out, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(value >> shift & 0xff);
}

std::uint32_t get_32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// The dictionary that SPDY/3 gives the compressor (2.6.10.1): these words, each after its length, and then a text.
std::string make_dictionary() {
  constexpr std::array kWords = {"options",
                                 "head",
                                 "post",
                                 "put",
                                 "delete",
                                 "trace",
                                 "accept",
                                 "accept-charset",
                                 "accept-encoding",
                                 "accept-language",
                                 "accept-ranges",
                                 "age",
                                 "allow",
                                 "authorization",
                                 "cache-control",
                                 "connection",
                                 "content-base",
                                 "content-encoding",
                                 "content-language",
                                 "content-length",
                                 "content-location",
                                 "content-md5",
                                 "content-range",
                                 "content-type",
                                 "date",
                                 "etag",
                                 "expect",
                                 "expires",
                                 "from",
                                 "host",
                                 "if-match",
                                 "if-modified-since",
                                 "if-none-match",
                                 "if-range",
                                 "if-unmodified-since",
                                 "last-modified",
                                 "location",
                                 "max-forwards",
                                 "pragma",
                                 "proxy-authenticate",
                                 "proxy-authorization",
                                 "range",
                                 "referer",
                                 "retry-after",
                                 "server",
                                 "te",
                                 "trailer",
                                 "transfer-encoding",
                                 "upgrade",
                                 "user-agent",
                                 "vary",
                                 "via",
                                 "warning",
                                 "www-authenticate",
                                 "method",
                                 "get",
                                 "status",
                                 "200 OK",
                                 "version",
                                 "HTTP/1.1",
                                 "url",
                                 "public",
                                 "set-cookie",
                                 "keep-alive",
                                 "origin"};
  std::string out;
  for (const std::string_view word : kWords) {
    put_32(out, static_cast<std::uint32_t>(word.size()));
    out += word;
  }
  out +=
      "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative "
      "Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 "
      "Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec "
      "00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, "
      "GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/"
      "javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";
  return out;
}

const std::string& dictionary() {
  static const std::string kDictionary = make_dictionary();
  return kDictionary;
}

// zlib's interface takes bytes that it does not change as non-const, and unsigned.
Bytef* bytes_of(std::string_view text) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
}
Bytef* bytes_of(std::string& text) {
  return reinterpret_cast<Bytef*>(text.data());
}

Error broken(std::string_view what) {
  return Error{.reason = Reason::kBadRequest, .message = fmt::format("SPDY: {}", what)};
}

/// A word with the control bit, the version and the type, then flags and length.
std::string control_frame(Type type, unsigned char flags, std::string_view content) {
  std::string out;
  put_32(out, std::uint32_t{kControlBit} << 24 | std::uint32_t{kSpdyVersion} << 16 | type);
  put_32(out, std::uint32_t{flags} << 24 | static_cast<std::uint32_t>(content.size()));
  out += content;
  return out;
}

}  // namespace

void ZlibEnd::operator()(z_stream_s* stream) const {
  inflates ? ::inflateEnd(stream) : ::deflateEnd(stream);
  delete stream;
}

std::string_view SpdyFrame::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

SpdyReader::SpdyReader() : zlib_(new z_stream_s(), ZlibEnd{.inflates = true}) {
  CHECK(::inflateInit(zlib_.get()) == Z_OK);
}

Status SpdyReader::put(std::string_view bytes, const std::function<bool(const SpdyFrame&)>& take) {
  // A frame may be empty, so the loop also runs when no byte is left.
  while (true) {
    if (!in_frame_) {
      const std::size_t missing = std::min(kHeadBytes - head_.size(), bytes.size());
      head_ += bytes.substr(0, missing);
      bytes.remove_prefix(missing);
      if (head_.size() < kHeadBytes) return ok();
      in_frame_ = true;
      left_ = get_32(head_, 4) & 0xffffff;
    }
    const bool is_control = (static_cast<unsigned char>(head_[0]) & kControlBit) != 0;
    const std::string_view part = bytes.substr(0, std::min(left_, bytes.size()));
    bytes.remove_prefix(part.size());
    left_ -= part.size();
    if (is_control) {
      if (control_.size() + part.size() + left_ > kMaxFrame) return broken("a frame is longer than 16 KiB");
      control_ += part;
    } else {
      SpdyFrame frame{.stream = get_32(head_, 0), .is_last = left_ == 0 && (head_[4] & kFlagLast) != 0, .bytes = part};
      if (frame.stream == 0) return broken("data of stream 0");
      if ((!part.empty() || frame.is_last) && !take(frame)) return ok();
    }
    if (left_ > 0) return ok();
    if (is_control) {
      TRY_ASSIGN(const std::optional<SpdyFrame> frame, read_control());
      control_.clear();
      in_frame_ = false;
      head_.clear();
      if (frame && !take(*frame)) return ok();
    }
    in_frame_ = false;
    head_.clear();
  }
}

Result<std::optional<SpdyFrame>> SpdyReader::read_control() {
  const std::uint32_t word = get_32(head_, 0);
  if ((word >> 16 & 0x7fff) != kSpdyVersion) return broken("a frame of another version than 3");
  const bool is_last = (head_[4] & kFlagLast) != 0;
  const auto number = [&](std::size_t at) { return get_32(control_, at) & 0x7fffffff; };
  // The bytes that each type has at least.
  const auto least = [&](std::size_t size) { return control_.size() >= size; };
  constexpr std::string_view kShort = "a frame is too short";
  SpdyFrame frame{.is_last = is_last};
  switch (word & 0xffff) {
    case kSynStream: {
      if (!least(10)) return broken(kShort);
      frame.kind = SpdyFrame::Kind::kStream;
      frame.stream = number(0);
      TRY_ASSIGN(frame.headers, read_headers(std::string_view(control_).substr(10)));
      if (frame.stream == 0) return broken("a stream with the number 0");
      return std::optional(std::move(frame));
    }
    case kSynReply: {
      if (!least(4)) return broken(kShort);
      frame.kind = SpdyFrame::Kind::kReply;
      frame.stream = number(0);
      TRY_ASSIGN(frame.headers, read_headers(std::string_view(control_).substr(4)));
      return std::optional(std::move(frame));
    }
    case kHeadersFrame: {
      // Nobody needs them, but they change the state of the compressor.
      if (!least(4)) return broken(kShort);
      TRY(read_headers(std::string_view(control_).substr(4)));
      return std::optional<SpdyFrame>();
    }
    case kRstStream:
      if (!least(8)) return broken(kShort);
      frame.kind = SpdyFrame::Kind::kReset;
      frame.stream = number(0);
      frame.status = get_32(control_, 4);
      return std::optional(std::move(frame));
    case kPingFrame:
      if (!least(4)) return broken(kShort);
      frame.kind = SpdyFrame::Kind::kPing;
      frame.stream = get_32(control_, 0);
      return std::optional(std::move(frame));
    case kGoAwayFrame:
      frame.kind = SpdyFrame::Kind::kGoAway;
      return std::optional(std::move(frame));
    case kSettings:
    case kWindowUpdate:
    default:
      // As SPDY asks of a reader that does not know a type.
      return std::optional<SpdyFrame>();
  }
}

Result<std::string> SpdyReader::inflate(std::string_view block) {
  std::string out(kMaxHeaders, '\0');
  zlib_->next_in = bytes_of(block);
  zlib_->avail_in = static_cast<uInt>(block.size());
  zlib_->next_out = bytes_of(out);
  zlib_->avail_out = static_cast<uInt>(out.size());
  while (zlib_->avail_in > 0) {
    int result = ::inflate(zlib_.get(), Z_SYNC_FLUSH);
    if (result == Z_NEED_DICT) {
      const std::string& words = dictionary();
      result = ::inflateSetDictionary(zlib_.get(), bytes_of(words), static_cast<uInt>(words.size()));
      if (result == Z_OK) continue;
    }
    if (result != Z_OK) return broken("headers that cannot be decompressed");
    if (zlib_->avail_out == 0) return broken("headers of more than 64 KiB");
  }
  out.resize(out.size() - zlib_->avail_out);
  return out;
}

Result<SpdyFrame::Headers> SpdyReader::read_headers(std::string_view block) {
  TRY_ASSIGN(const std::string text, inflate(block));
  std::string_view rest = text;
  const auto take_number = [&]() -> std::optional<std::uint32_t> {
    if (rest.size() < 4) return std::nullopt;
    const std::uint32_t value = get_32(rest, 0);
    rest.remove_prefix(4);
    return value;
  };
  const auto take_text = [&]() -> std::optional<std::string> {
    const auto size = take_number();
    if (!size || *size > rest.size()) return std::nullopt;
    std::string value(rest.substr(0, *size));
    rest.remove_prefix(*size);
    return value;
  };
  const auto count = take_number();
  SpdyFrame::Headers headers;
  for (std::uint32_t i = 0; count && i < *count; ++i) {
    auto name = take_text();
    auto value = name ? take_text() : std::nullopt;
    if (!value) return broken("headers that end too early");
    headers.emplace_back(to_lower(*name), *std::move(value));
  }
  if (!count || !rest.empty()) return broken("headers of another length than they say");
  return headers;
}

SpdyWriter::SpdyWriter() : zlib_(new z_stream_s()) {
  CHECK(::deflateInit(zlib_.get(), Z_BEST_COMPRESSION) == Z_OK);
  const std::string& words = dictionary();
  CHECK(::deflateSetDictionary(zlib_.get(), bytes_of(words), static_cast<uInt>(words.size())) == Z_OK);
}

std::string SpdyWriter::deflate(const SpdyFrame::Headers& headers) {
  std::string text;
  put_32(text, static_cast<std::uint32_t>(headers.size()));
  for (const auto& [name, value] : headers) {
    for (const std::string& one : {name, value}) {
      put_32(text, static_cast<std::uint32_t>(one.size()));
      text += one;
    }
  }
  // deflateBound() leaves out what a flush adds.
  std::string out(::deflateBound(zlib_.get(), text.size()) + 64, '\0');
  zlib_->next_in = bytes_of(text);
  zlib_->avail_in = static_cast<uInt>(text.size());
  zlib_->next_out = bytes_of(out);
  zlib_->avail_out = static_cast<uInt>(out.size());
  CHECK(::deflate(zlib_.get(), Z_SYNC_FLUSH) == Z_OK && zlib_->avail_out > 0);
  out.resize(out.size() - zlib_->avail_out);
  return out;
}

std::string SpdyWriter::open(std::uint32_t stream, const SpdyFrame::Headers& headers, bool is_last) {
  std::string content;
  put_32(content, stream);
  put_32(content, 0);               // no associated stream
  content += std::string(2, '\0');  // priority and slot
  content += deflate(headers);
  return control_frame(kSynStream, is_last ? kFlagLast : 0, content);
}

std::string SpdyWriter::reply(std::uint32_t stream) {
  std::string content;
  put_32(content, stream);
  content += deflate({});
  return control_frame(kSynReply, 0, content);
}

std::string SpdyWriter::reset(std::uint32_t stream, SpdyStatus status) {
  std::string content;
  put_32(content, stream);
  put_32(content, static_cast<std::uint32_t>(status));
  return control_frame(kRstStream, 0, content);
}

std::string SpdyWriter::ping(std::uint32_t number) {
  std::string content;
  put_32(content, number);
  return control_frame(kPingFrame, 0, content);
}

std::string SpdyWriter::data_head(std::uint32_t stream, std::size_t size, bool is_last) {
  CHECK(size < (std::size_t{1} << 24));
  std::string out;
  put_32(out, stream);
  put_32(out, (is_last ? std::uint32_t{kFlagLast} << 24 : 0) | static_cast<std::uint32_t>(size));
  return out;
}

}  // namespace muster::net
