#include "base/protobuf_wire.h"

#include <fmt/core.h>

#include <bit>
#include <utility>

namespace muster {
namespace {

constexpr std::uint64_t kMaxFieldNumber = (1u << 29) - 1;

Error malformed(std::string message) {
  return {.reason = Reason::kBadRequest, .message = "protobuf: " + std::move(message)};
}

}  // namespace

Result<std::uint64_t> WireReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) return malformed(fmt::format("number cut off at byte {}", offset()));
    const auto byte = static_cast<unsigned char>(rest_.front());
    // The tenth byte has room for one bit only.
    if (shift == 63 && byte > 1) break;
    rest_.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return malformed(fmt::format("number of more than 64 bits at byte {}", offset()));
}

Result<std::string_view> WireReader::take(std::uint64_t count) {
  if (count > rest_.size()) {
    return malformed(fmt::format("field of {} bytes at byte {}, where {} are left", count, offset(), rest_.size()));
  }
  const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(count));
  rest_.remove_prefix(taken.size());
  return taken;
}

Result<WireField> WireReader::next() {
  const std::size_t start = offset();
  TRY_ASSIGN(const std::uint64_t tag, varint());
  WireField field;
  if (tag >> 3 == 0 || tag >> 3 > kMaxFieldNumber) {
    return malformed(fmt::format("field number {} at byte {} is out of range", tag >> 3, start));
  }
  field.number = static_cast<std::uint32_t>(tag >> 3);
  switch (tag & 7) {
    case 0: {
      TRY_ASSIGN(field.varint, varint());
      return field;
    }
    case 1: {
      field.kind = WireField::Kind::kFixed;
      TRY_ASSIGN(field.bytes, take(8));
      return field;
    }
    case 2: {
      field.kind = WireField::Kind::kBytes;
      TRY_ASSIGN(const std::uint64_t length, varint());
      TRY_ASSIGN(field.bytes, take(length));
      return field;
    }
    case 5: {
      field.kind = WireField::Kind::kFixed;
      TRY_ASSIGN(field.bytes, take(4));
      return field;
    }
    default:
      return malformed(fmt::format("wire type {} at byte {} is not known", tag & 7, start));
  }
}

void WireWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(0x80 | (value & 0x7f));
  out_ += static_cast<char>(value);
}

void WireWriter::number(std::uint32_t field, std::uint64_t value) {
  varint(std::uint64_t{field} << 3);
  varint(value);
}

void WireWriter::real(std::uint32_t field, double value) {
  varint(std::uint64_t{field} << 3 | 1);
  auto bits = std::bit_cast<std::uint64_t>(value);
  for (int i = 0; i < 8; ++i, bits >>= 8) out_ += static_cast<char>(bits & 0xff);
}

void WireWriter::bytes(std::uint32_t field, std::string_view value) {
  varint(std::uint64_t{field} << 3 | 2);
  varint(value.size());
  out_ += value;
}

}  // namespace muster
