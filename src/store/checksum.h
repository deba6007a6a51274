// Checksums of what lies on disk. SQLite has none for its pages, so every row and the high-water mark carry their own.
#pragma once

#include <cstdint>
#include <string_view>

#include "store/types.h"

namespace muster::store {

/// XXH64. Chosen over CRC32C because 64 bits can also be summed up over all rows (Ledger in database.h), and because it
/// is fast without special instructions. A change within one aligned 8-byte word is always noticed.
std::uint64_t checksum(std::string_view bytes, std::uint64_t seed = 0);

/// Of one row: everything that identifies it and all it holds, each part with its length.
std::uint64_t row_checksum(std::int64_t row, const Key& key, Revision revision, std::string_view bytes);

}  // namespace muster::store
