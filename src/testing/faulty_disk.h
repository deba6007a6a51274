// A disk for tests: it fails chosen calls, and knows what a power failure at any moment would leave. The files
// themselves are real; besides them it keeps a log of every change, from which `leave` builds the files that would be
// found. Tests only.
//
// The model of a disk: written bytes are safe once their file was synced; before that, any of their 512-byte sectors
// may or may not have arrived, in any order. Names are safe once their directory was synced (SQLite does that itself
// for its WAL). When a sync fails, its bytes are no longer waiting to be written: as on Linux, a later sync does not
// write them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/ports.h"
#include "store/disk.h"

namespace muster::store {

class FaultyDisk final : public Disk {
 public:
  using Chooses = std::function<bool(const DiskCall&)>;

  int before(const DiskCall& call) override;
  void after(const DiskCall& call) override;

  /// Fails the n-th call (from 0, counted from now) that `chooses` selects; a failing write leaves its first half.
  void fail(Chooses chooses, std::uint64_t n, int error);
  /// Fails every such call until `heal`.
  void fail_all(Chooses chooses, int error);
  void heal();
  bool has_failed() const;
  /// The moment at which the first chosen call failed.
  std::size_t failed_at() const;
  /// The number of calls that `chooses` has selected since `fail`.
  std::uint64_t chosen() const;

  /// The number of changes so far, which identifies a moment to cut the power at.
  std::size_t moment() const;
  enum class Unsynced { kLost, kKept, kSome };
  /// Writes to `to` what a power failure at that moment leaves of the files under `from`.
  void leave(std::size_t moment, Unsynced unsynced, Rng& rng, const std::string& from, const std::string& to) const;

 private:
  struct Change {
    DiskCall::Kind kind;
    std::string path;
    std::string to;
    std::string bytes;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    bool failed = false;
  };
  struct File {
    std::string safe;
    std::vector<const Change*> unsynced;
  };
  using Names = std::map<std::string, std::shared_ptr<File>>;

  static void replay(const Change& change, Names& now, Names& safe);
  static std::string contents(const File& file, Unsynced unsynced, Rng* rng);
  void record(const DiskCall& call, bool failed);

  mutable std::mutex mutex_;
  Chooses chooses_;
  std::uint64_t fail_at_ = 0;
  std::uint64_t chosen_ = 0;
  bool always_ = false;
  int error_ = 0;
  bool failed_ = false;
  std::size_t failed_at_ = 0;
  std::vector<Change> log_;
};

}  // namespace muster::store
