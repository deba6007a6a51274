#include "agent/probes/grpc_frames.h"

#include <fmt/core.h>

#include <cstdint>

namespace muster::agent {
namespace {

enum FrameType : unsigned char { kData = 0, kHeaders = 1, kReset = 3, kSettings = 4, kPing = 6, kGoAway = 7 };
constexpr unsigned char kAck = 1;
constexpr unsigned char kEndStream = 1;
constexpr unsigned char kEndHeaders = 4;
constexpr unsigned char kPadded = 8;
constexpr std::size_t kFrameHead = 9;
constexpr std::size_t kLongestFrame = 16384;  // larger ones need our consent
constexpr std::size_t kLongestMessage = 1024;
constexpr std::size_t kMessageHead = 5;

void put_number(std::string& to, std::size_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) to.push_back(static_cast<char>(value >> (8 * i)));
}

void put_frame(std::string& to, FrameType type, unsigned char flags, std::size_t stream, std::string_view payload) {
  put_number(to, payload.size(), 3);
  to.push_back(static_cast<char>(type));
  to.push_back(static_cast<char>(flags));
  put_number(to, stream, 4);
  to.append(payload);
}

/// Appends an integer whose low bits share their byte with a pattern, as HPACK has it.
void put_prefixed(std::string& to, std::size_t value, unsigned pattern, unsigned bits) {
  const std::size_t most = (std::size_t{1} << bits) - 1;
  if (value < most) {
    to.push_back(static_cast<char>(pattern | value));
    return;
  }
  to.push_back(static_cast<char>(pattern | most));
  for (value -= most; value >= 128; value /= 128) to.push_back(static_cast<char>(value % 128 + 128));
  to.push_back(static_cast<char>(value));
}

void put_text(std::string& to, std::string_view text) {
  put_prefixed(to, text.size(), 0, 7);
  to.append(text);
}

/// Appends a header that is not indexed. `known` is the number of its name in HPACK's table; 0: the name follows.
void put_header(std::string& to, unsigned known, std::string_view name, std::string_view value) {
  put_prefixed(to, known, 0, 4);
  if (known == 0) put_text(to, name);
  put_text(to, value);
}

std::string request_headers(const std::string& authority) {
  std::string headers = "\x83\x86";  // :method POST, :scheme http
  put_header(headers, 4, ":path", "/grpc.health.v1.Health/Check");
  put_header(headers, 1, ":authority", authority);
  put_header(headers, 0, "content-type", "application/grpc");
  put_header(headers, 0, "te", "trailers");
  put_header(headers, 0, "user-agent", "kube-probe/1.33");
  return headers;
}

/// HealthCheckRequest has one field: 1, the service's name.
std::string request_message(const std::string& service) {
  std::string body;
  if (!service.empty()) {
    body.push_back('\x0a');
    std::size_t size = service.size();
    for (; size >= 128; size /= 128) body.push_back(static_cast<char>(size % 128 + 128));
    body.push_back(static_cast<char>(size));
    body.append(service);
  }
  std::string message(1, '\0');  // not compressed
  put_number(message, body.size(), 4);
  return message + body;
}

std::size_t number_at(std::string_view bytes, std::size_t at, int count) {
  std::size_t value = 0;
  for (int i = 0; i < count; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

ProbeResult failed(std::string why) {
  return {ProbeResult::Kind::kFailure, std::move(why)};
}

/// HealthCheckResponse has one field: 1, the status, whose default is UNKNOWN.
ProbeResult result_of(std::string_view body) {
  static constexpr const char* kNames[] = {"UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"};
  const std::size_t status = body.size() >= 2 && body[0] == '\x08' ? static_cast<unsigned char>(body[1]) : 0;
  if (status == 1) return {};
  return failed(
      fmt::format("service unhealthy (responded with \"{}\")", status < 4 ? kNames[status] : "unknown status"));
}

}  // namespace

GrpcHealthCall::GrpcHealthCall(const std::string& service, const std::string& authority)
    : out_("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") {
  put_frame(out_, kSettings, 0, 0, "");
  put_frame(out_, kHeaders, kEndHeaders, 1, request_headers(authority));
  put_frame(out_, kData, kEndStream, 1, request_message(service));
}

std::string GrpcHealthCall::take_output() {
  return std::exchange(out_, {});
}

std::optional<ProbeResult> GrpcHealthCall::put(std::string_view bytes) {
  in_.append(bytes);
  while (in_.size() >= kFrameHead) {
    const std::size_t size = number_at(in_, 0, 3);
    if (size > kLongestFrame) return failed("the answer is not HTTP/2");
    if (in_.size() < kFrameHead + size) break;
    const std::string frame = in_.substr(0, kFrameHead + size);
    in_.erase(0, frame.size());
    const std::string_view payload = std::string_view(frame).substr(kFrameHead);
    if (auto result = take_frame(static_cast<unsigned char>(frame[3]), static_cast<unsigned char>(frame[4]), payload))
      return result;
  }
  return std::nullopt;
}

std::optional<ProbeResult> GrpcHealthCall::take_frame(unsigned char type, unsigned char flags,
                                                      std::string_view payload) {
  switch (type) {
    case kData:
      return take_data(flags, payload);
    case kHeaders:
      if ((flags & kEndStream) != 0) return failed("the server refused grpc.health.v1.Health/Check");
      return std::nullopt;
    case kReset:
    case kGoAway:
      return failed("the server ended the call");
    case kSettings:
    case kPing:
      if ((flags & kAck) == 0) put_frame(out_, FrameType(type), kAck, 0, type == kPing ? payload : "");
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<ProbeResult> GrpcHealthCall::take_data(unsigned char flags, std::string_view payload) {
  if ((flags & kPadded) != 0 && !payload.empty()) {
    const auto padding = static_cast<unsigned char>(payload[0]);
    if (payload.size() < 1U + padding) return failed("the answer is not HTTP/2");
    payload = payload.substr(1, payload.size() - 1 - padding);
  }
  message_.append(payload);
  if (message_.size() < kMessageHead) return std::nullopt;
  const std::size_t size = number_at(message_, 1, 4);
  if (size > kLongestMessage || message_[0] != '\0') return failed("the answer is not a health status");
  if (message_.size() < kMessageHead + size) return std::nullopt;
  return result_of(std::string_view(message_).substr(kMessageHead, size));
}

}  // namespace muster::agent
