// Reads the wire format of protobuf from a view, never past its end, and writes it to a string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster {

/// One field on the wire. Groups, long gone from protobuf, are rejected as malformed.
struct WireField {
  enum class Kind { kVarint, kFixed, kBytes };
  std::uint32_t number = 0;
  Kind kind = Kind::kVarint;
  std::uint64_t varint = 0;
  std::string_view bytes;  // for kFixed too
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes), size_(bytes.size()) {}
  bool at_end() const { return rest_.empty(); }
  /// Offset of the next byte, for error messages.
  std::size_t offset() const { return size_ - rest_.size(); }
  Result<WireField> next();
  /// BadRequest when the number is truncated or longer than 64 bits.
  Result<std::uint64_t> varint();

 private:
  Result<std::string_view> take(std::uint64_t count);

  std::string_view rest_;
  std::size_t size_;
};

/// Appends fields to a string.
class WireWriter {
 public:
  explicit WireWriter(std::string& out) : out_(out) {}
  void number(std::uint32_t field, std::uint64_t value);
  void real(std::uint32_t field, double value);
  /// Writes text, bytes or a message.
  void bytes(std::uint32_t field, std::string_view value);

 private:
  void varint(std::uint64_t value);

  std::string& out_;
};

}  // namespace muster
