// The store's own small files next to the database.
//
//   DIR/lock      flock'ed by the engine that owns DIR, holds its pid; never deleted (that would let two engines in)
//   DIR/revision  the last revision known to be durable, outside the database: a lost tail of the WAL shows as a gap
//   DIR/failed    exists after an I/O error, until the files have been rewritten
//   DIR/ballast   space to release when the disk is full and a commit or a checkpoint needs it (see Room)
//
// `revision` is two equal records of 24 bytes in one sector (magic, revision, checksum; little-endian): if one is
// damaged, the other is left.
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

/// The directory that a path is in: "/" for "/x", "." for "x".
std::string parent_of(std::string_view path);

/// Creates the directory, accessible to the user only, when it is missing.
Status make_directory(const std::string& directory);

/// After a failed sync Linux still shows the file's new bytes, but does not try to write them again: what the next
/// engine reads may not be on any disk. So the failure is recorded, and the next engine rewrites the files, byte by
/// byte as they are, before it builds on them.
void note_failure(Disk& disk, const std::string& directory);
Status write_again_after_failure(Disk& disk, const std::string& directory);

class DirectoryLock {
 public:
  /// Returns Conflict, which names directory and pid, when another engine holds the lock.
  static Result<DirectoryLock> take(const std::string& directory);
  void release() { fd_.reset(); }

 private:
  Fd fd_;
};

class HighWaterMark {
 public:
  struct Found {
    std::optional<Revision> revision;  // nullopt: there is no file, or no intact record
    bool existed = false;
    bool damaged = false;  // a record is not intact
  };

  /// Opens or creates the file; `found` receives its previous content.
  static Result<HighWaterMark> open(Disk& disk, const std::string& directory, Found& found);

  /// The mark survives the death of the process at once, but a power failure only after `sync`.
  Status write(Revision revision);
  Status sync();
  bool dirty() const { return dirty_; }

 private:
  DiskFile file_;
  bool dirty_ = false;
};

class Ballast {
 public:
  /// With size 0 there is no ballast.
  Ballast(Disk& disk, std::string directory, std::size_t size)
      : disk_(&disk), path_(std::move(directory) + "/ballast"), size_(size) {}

  /// Returns whether the space is reserved and as much again is free, so that the ballast itself does not fill the
  /// disk.
  bool reserve();
  void release();
  /// Returns true when so little is free that only writes that make room should be taken.
  bool is_needed() const;

 private:
  std::optional<std::uint64_t> free_bytes() const;

  Disk* disk_;
  std::string path_;
  std::size_t size_;
};

/// Blocks of the database and its log that are allocated before they are written to. Other programs cannot take them,
/// even if they fill the disk: deletes need them then.
class Room {
 public:
  /// `size` is that of the log; 0: none.
  Room(std::string database, std::size_t size) : database_(std::move(database)), size_(size) {}

  /// Allocates what is missing, as far as the disk has it. SQLite frees the room behind the end of the database with
  /// each checkpoint.
  void hold();

 private:
  std::string database_;
  std::size_t size_;
  // They stay open: closing one would end the locks that SQLite has on the same file.
  Fd file_;
  Fd log_;
};

}  // namespace muster::store
