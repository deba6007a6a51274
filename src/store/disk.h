// The port through which the store changes its files, including SQLite's own (sqlite_vfs.h). The real disk permits
// every call; tests use one that fails chosen calls and remembers which bytes a power failure would lose
// (faulty_disk.h).
//
// Only operations that our guarantees depend on pass here: the kernel holds the lock, and free space is only a hint.
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
  std::uint64_t size = 0;    // kRead: bytes wanted; kTruncate, kReserve: size of the file
  std::string_view to;       // kRename
};

class Disk {
 public:
  virtual ~Disk() = default;

  /// Called before each call: 0 permits it, an errno makes it fail with that error. It may be called on any thread.
  virtual int before(const DiskCall&) { return 0; }
  /// Called after a call that succeeded.
  virtual void after(const DiskCall&) {}

  static Disk& real();
};

class DiskFile {
 public:
  /// Opens the file, and creates it with access for the user only when it is missing.
  static Result<DiskFile> open(Disk& disk, const std::string& path);
  /// Opens a file that exists, for reading only.
  static Result<DiskFile> open_existing(Disk& disk, const std::string& path);

  /// Returns fewer bytes than requested only at the end of the file.
  Result<std::size_t> read(char* to, std::size_t size, std::uint64_t offset) const;
  Status write(std::string_view bytes, std::uint64_t offset);
  Status truncate(std::uint64_t size);
  /// Allocates disk blocks for the whole size.
  Status reserve(std::uint64_t size);
  Status sync();

 private:
  Status done(const DiskCall& call, std::string_view name, int error);

  Disk* disk_ = nullptr;
  std::string path_;
  Fd fd_;
};

/// The rename is atomic, and durable once the directory is synced.
Status rename_file(Disk& disk, const std::string& from, const std::string& to);
/// Succeeds also when the file does not exist.
Status remove_file(Disk& disk, const std::string& path);
/// Makes created, renamed and removed names in the directory durable.
Status sync_directory(Disk& disk, const std::string& directory);

}  // namespace muster::store
