// Reads the whole database into memory at start, and decides what can be trusted: each row by its checksum, all rows
// together by the ledger, and the end of the log by the high-water mark.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/database.h"
#include "store/files.h"
#include "store/index.h"
#include "store/store.h"

namespace muster::store {

/// Clients may have seen revisions that are now lost. Skipping past all of them makes their watches expire, so that
/// they list again instead of missing objects that vanished.
inline constexpr Revision kJumpAfterLoss = 1'000'000;

struct Loaded {
  Index index;
  Ledger ledger;  // as found, so that the next commit starts from the actual state
  std::int64_t last_row = 0;
  std::vector<std::string> problems;
  // In both cases the caller makes the ledger and the mark durable before it serves.
  bool fresh = false;      // a new directory
  bool lost_data = false;  // data was lost and the options accept that
};

/// Returns an error when acknowledged writes are missing, unless the options accept data loss.
Result<Loaded> load(Database& database, const HighWaterMark::Found& mark, const Options& options);

}  // namespace muster::store
