// The store's own small files, beside the database.
//
//   DIR/lock      flock'ed by the engine that owns DIR, holds its pid; never deleted (that would let two engines in)
//   DIR/revision  the last revision known to be durable, outside the database: a lost tail of the WAL shows as a gap
//   DIR/failed    there after an I/O error, until what it left behind has been written again
//   DIR/ballast   space to give up when the disk is full, so that deletes still have room
//
// `revision` is two equal records of 24 bytes in one sector (magic, revision, checksum; little-endian): a damaged one
// leaves the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "store/disk.h"
#include "store/types.h"

namespace muster::store {

/// The folder a path is in: "/" of "/x", "." of "x".
std::string parent_of(std::string_view path);

/// Makes the directory (private to the user) where it is missing.
Status make_directory(const std::string& directory);

/// A file whose sync failed is still shown as it should be, but Linux will not try to write those bytes again: what the
/// next engine reads may be on no disk. So the failure is noted, and the next engine writes the files once more, byte
/// by byte as they are, before it builds on them.
void note_failure(Disk& disk, const std::string& directory);
Status write_again_after_failure(Disk& disk, const std::string& directory);

class DirectoryLock {
 public:
  /// Conflict when another engine holds it, naming directory and pid.
  static Result<DirectoryLock> take(const std::string& directory);
  void release() { fd_.reset(); }

 private:
  Fd fd_;
};

class HighWaterMark {
 public:
  struct Found {
    std::optional<Revision> revision;  // nullopt: there is no file, or none of its records is whole
    bool existed = false;
    bool damaged = false;  // a record is not whole
  };

  /// Opens or makes the file; `found` is what it said before.
  static Result<HighWaterMark> open(Disk& disk, const std::string& directory, Found& found);

  /// Survives the death of the process at once, a power cut only after `sync`.
  Status write(Revision revision);
  Status sync();
  bool dirty() const { return dirty_; }

 private:
  DiskFile file_;
  bool dirty_ = false;
};

class Ballast {
 public:
  /// Size 0: none is kept.
  Ballast(Disk& disk, std::string directory, std::size_t size)
      : disk_(&disk), path_(std::move(directory) + "/ballast"), size_(size) {}

  /// True when the space is reserved; false when the disk does not have it. A reserved ballast leaves at least its own
  /// size free, so that it does not fill the disk itself.
  bool reserve();
  void release();

 private:
  Disk* disk_;
  std::string path_;
  std::size_t size_;
};

}  // namespace muster::store
