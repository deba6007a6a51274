// Operations on a data directory while no engine runs on it: making a copy of it, or replacing it by a copy.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "store/store.h"

namespace muster::store {

struct Restored {
  Revision copied = 0;    // of the copy
  Revision revision = 0;  // where the directory continues: later than anything clients have seen
  std::uint64_t objects = 0;
  std::string kept_aside;  // the old database's new place; "" when there was none
};

/// Replaces the directory's database by the copy at `file`. It changes nothing and fails when an engine holds
/// the directory (Conflict) or the copy is not intact (BadRequest). The old files are moved into a
/// subdirectory.
///
/// Clients may have seen revisions later than the copy's. So the directory continues at a revision beyond all
/// of them, and their watches expire once.
Result<Restored> restore(const std::string& directory, const std::string& file, Time now, Disk* disk = nullptr);

/// Makes a checked copy of a snapshot at another path.
Result<Revision> copy_snapshot(const std::string& from, const std::string& to);

/// Makes a copy of a directory that no engine runs on. Returns its revision.
Result<Revision> back_up_offline(const std::string& directory, const std::string& path, Disk* disk = nullptr);

}  // namespace muster::store
