// The wire format of protobuf, read from a view and never past its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace muster::apiserver::protobuf {

/// One field as it stands on the wire. Groups, long gone from protobuf, count as broken bytes.
struct WireField {
  enum class Kind { kVarint, kFixed, kBytes };
  std::uint32_t number = 0;
  Kind kind = Kind::kVarint;
  std::uint64_t varint = 0;
  std::string_view bytes;  // of kFixed too
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes), size_(bytes.size()) {}
  bool at_end() const { return rest_.empty(); }
  /// Of the next byte, for messages.
  std::size_t offset() const { return size_ - rest_.size(); }
  Result<WireField> next();
  /// BadRequest when it is cut off or longer than 64 bits.
  Result<std::uint64_t> varint();

 private:
  Result<std::string_view> take(std::uint64_t count);

  std::string_view rest_;
  std::size_t size_;
};

}  // namespace muster::apiserver::protobuf
