// What is done to a data directory while no engine runs on it: a copy is made of it, or put in its place.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "store/store.h"

namespace muster::store {

struct Restored {
  Revision copied = 0;    // of the copy
  Revision revision = 0;  // what the directory goes on from: later than anything its clients have seen
  std::uint64_t objects = 0;
  std::string kept_aside;  // where the old database is now; "" when there was none
};

/// Puts the copy at `file` in the place of the directory's database. Refused, with nothing changed, while an engine
/// holds the directory (Conflict) and when the copy is not whole (BadRequest). The old files are moved into a folder
/// beside it.
///
/// Clients may have seen revisions later than the copy's. So the directory goes on from a revision beyond them all, and
/// their watches expire once.
Result<Restored> restore(const std::string& directory, const std::string& file, Time now, Disk* disk = nullptr);

/// A checked copy of a copy, for a place of its own.
Result<Revision> copy_snapshot(const std::string& from, const std::string& to);

/// A copy of a directory that no engine runs on. Its revision.
Result<Revision> back_up_offline(const std::string& directory, const std::string& path, Disk* disk = nullptr);

}  // namespace muster::store
