// Reads the whole database into memory at start, and decides what of it can be trusted: each row by its checksum, all
// of them together by the ledger, and the end of the log by the high-water mark.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/database.h"
#include "store/files.h"
#include "store/index.h"
#include "store/store.h"

namespace muster::store {

/// Clients may have seen revisions that are lost now. A jump beyond all of them makes their watches expire, so that
/// they list anew instead of missing what went away.
inline constexpr Revision kJumpAfterLoss = 1'000'000;

struct Loaded {
  Index index;
  Ledger ledger;  // as found, so that the next commit starts from the truth
  std::int64_t last_row = 0;
  std::vector<std::string> problems;
  // Either way the caller makes the ledger and the mark durable before it serves.
  bool fresh = false;      // a new directory
  bool lost_data = false;  // and that was accepted
};

/// Refuses when acknowledged writes are missing, unless the options accept that.
Result<Loaded> load(Database& database, const HighWaterMark::Found& mark, const Options& options);

}  // namespace muster::store
