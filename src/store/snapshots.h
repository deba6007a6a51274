// Copies of the database that the engine makes by itself, so that there is something to go back to: one an hour while
// there is something new, in DIR/snapshots, the newest ones kept. Their names say when and at which revision:
// 20261116T010203Z-4711.db. Belongs to the loop thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

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
/// Of a store's directory, oldest first. Other files are ignored.
std::vector<Snapshot> list_snapshots(const std::string& store_directory);

class Snapshots {
 public:
  struct Options {
    std::string store_directory;
    Duration every = std::chrono::hours(1);  // 0: only when asked
    std::size_t keep = 24;
  };

  Snapshots(Loop& loop, Store& store, Options options);
  ~Snapshots();
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;

  using Done = UniqueFunction<void(Result<Snapshot>)>;
  /// One now, because somebody asks for it. Exactly one callback, on the loop, never inline. TooManyRequests when one
  /// is being taken and another one waits already.
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
  std::uint64_t begun_ = 0;  // each has an unfinished file of its own
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::store
