// The port through which the store changes its files, SQLite's own included (sqlite_vfs.h). The real disk does what it
// is told; tests put one in its place that fails chosen calls and remembers which bytes a power cut would take
// (faulty_disk.h).
//
// Only what promises rest on passes here: the lock is held by the kernel, and free space is only a hint.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace muster::store {

struct DiskCall {
  enum class Kind { kCreate, kRead, kWrite, kTruncate, kReserve, kSync, kRename, kRemove, kSyncDirectory };
  Kind kind = Kind::kRead;
  std::string_view path;
  std::uint64_t offset = 0;  // kRead, kWrite
  std::string_view bytes;    // kWrite
  std::uint64_t size = 0;    // kRead: bytes wanted; kTruncate, kReserve: of the file
  std::string_view to;       // kRename
};

class Disk {
 public:
  virtual ~Disk() = default;

  /// Asked before each call: 0 lets it happen, an errno makes it fail with that. May be asked by any thread.
  virtual int before(const DiskCall&) { return 0; }
  /// Told after a call that worked.
  virtual void after(const DiskCall&) {}

  static Disk& real();
};

class DiskFile {
 public:
  /// Makes the file, readable by the user alone, where it is missing.
  static Result<DiskFile> open(Disk& disk, const std::string& path);
  /// To be read only.
  static Result<DiskFile> open_existing(Disk& disk, const std::string& path);

  /// Fewer bytes than wanted only at the end of the file.
  Result<std::size_t> read(char* to, std::size_t size, std::uint64_t offset) const;
  Status write(std::string_view bytes, std::uint64_t offset);
  Status truncate(std::uint64_t size);
  /// Real blocks for the whole size.
  Status reserve(std::uint64_t size);
  Status sync();

 private:
  Status done(const DiskCall& call, std::string_view name, int error);

  Disk* disk_ = nullptr;
  std::string path_;
  Fd fd_;
};

/// Atomic, and durable once the directory is synced.
Status rename_file(Disk& disk, const std::string& from, const std::string& to);
/// A file that is not there is as good as removed.
Status remove_file(Disk& disk, const std::string& path);
/// Makes new, renamed and removed names in the directory durable.
Status sync_directory(Disk& disk, const std::string& directory);

}  // namespace muster::store
