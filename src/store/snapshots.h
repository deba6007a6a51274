// Copies of the database that the engine makes by itself, so that there is a state to go back to: one per hour when
// there are new writes, in DIR/snapshots; only the newest ones are kept. A name has the time and the revision:
// 20261116T010203Z-4711.db. The loop thread owns it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/lifetime.h"
#include "base/ports.h"
#include "base/result.h"
#include "store/store.h"

namespace muster::store {

struct Snapshot {
  std::string path;
  Time made;
  Revision revision = 0;
};

/// "20261116T010203Z".
std::string compact_time(Time time);
/// The snapshots of a store's directory, oldest first. Other files are ignored.
std::vector<Snapshot> list_snapshots(const std::string& store_directory);

class Snapshots {
 public:
  struct Options {
    std::string store_directory;
    Duration every = std::chrono::hours(1);  // 0: only on request
    std::size_t keep = 24;
  };

  Snapshots(Loop& loop, Store& store, Options options);
  ~Snapshots();
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;

  using Done = UniqueFunction<void(Result<Snapshot>)>;
  /// Takes a snapshot on request. The callback is called exactly once, on the loop, never inline. It gets
  /// TooManyRequests when one snapshot is in progress and another is waiting.
  void take_now(Done done);

 private:
  void schedule(Duration after);
  void take_when_due();
  Result<Snapshot> finish(const std::string& partial, Revision revision);
  void remove_old();

  Loop& loop_;
  Store& store_;
  Options options_;
  Loop::Id timer_ = 0;
  int under_way_ = 0;
  std::uint64_t begun_ = 0;  // numbers the temporary files, one per snapshot
  Lifetime lifetime_;
};

}  // namespace muster::store
