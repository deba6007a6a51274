// Checksums of data on disk. SQLite has none for its pages, so every row and the high-water mark carry their own.
#pragma once

#include <cstdint>
#include <string_view>

#include "store/types.h"

namespace muster::store {

/// XXH64. It was chosen over CRC32C because 64-bit sums can also be added up over all rows (Ledger in database.h), and
/// because it is fast without special instructions. It always detects a change within one aligned 8-byte word.
std::uint64_t checksum(std::string_view bytes, std::uint64_t seed = 0);

/// The checksum of one row: everything that identifies it and all its content, each part with its length.
std::uint64_t row_checksum(std::int64_t row, const Key& key, Revision revision, std::string_view bytes);

}  // namespace muster::store
