// Shared by all fuzz targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/document.h"

namespace muster::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Every document that we accept or make can be written and read again without a change.
inline void check_round_trip(const json::Document& document) {
  const std::string text = json::serialize(document);
  const auto again = json::parse(text);
  CHECK(again.has_value());
  CHECK(*again == document);
  CHECK(json::serialize(*again) == text);
}

}  // namespace muster::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
