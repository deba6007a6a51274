#include "store/sqlite_vfs.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <atomic>
#include <cerrno>

#include "base/check.h"
#include "store/files.h"

namespace muster::store {
namespace {

using Kind = DiskCall::Kind;

/// Consecutive writes that are not passed on yet. SQLite writes the WAL in pieces of 24 and 4096 bytes, hundreds per
/// commit: joined, they are one call.
struct Gathered {
  static constexpr std::size_t kMost = std::size_t{64} << 10;  // SQLite's own writes take less than 128 KiB
  std::string bytes;
  sqlite3_int64 offset = 0;  // of the first byte

  bool takes(std::size_t size, sqlite3_int64 at) const {
    return at == offset + static_cast<sqlite3_int64>(bytes.size()) && bytes.size() + size <= kMost;
  }
};

/// The object that SQLite allocates for each open file: ours, followed by that of the default VFS.
struct File {
  sqlite3_file base;
  Disk* disk;
  const char* path;    // null for a temporary file, which no guarantee depends on
  Gathered* gathered;  // of a WAL, null for other files

  sqlite3_file* below() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
static_assert(sizeof(File) % alignof(sqlite3_int64) == 0);

File& own(sqlite3_file* file) {
  return *reinterpret_cast<File*>(file);
}
sqlite3_file* below(sqlite3_file* file) {
  return own(file).below();
}
sqlite3_vfs* below(sqlite3_vfs*) {
  return sqlite3_vfs_find("unix");
}
Disk& disk_of(sqlite3_vfs* vfs) {
  return *static_cast<Disk*>(vfs->pAppData);
}

/// Asks the disk for permission, makes the call and reports it. When the disk refuses, SQLite gets `code`.
template <typename Really>
int pass(Disk& disk, const char* path, DiskCall call, int code, Really really) {
  if (path == nullptr) return really();
  call.path = path;
  if (const int error = disk.before(call); error != 0) return error == ENOSPC ? SQLITE_FULL : code;
  const int done = really();
  if (done == SQLITE_OK) disk.after(call);
  return done;
}

int write_now(sqlite3_file* file, std::string_view bytes, sqlite3_int64 offset) {
  const DiskCall call{.kind = Kind::kWrite, .offset = static_cast<std::uint64_t>(offset), .bytes = bytes};
  return pass(*own(file).disk, own(file).path, call, SQLITE_IOERR_WRITE, [&] {
    return below(file)->pMethods->xWrite(below(file), bytes.data(), static_cast<int>(bytes.size()), offset);
  });
}

/// Passes the gathered writes on. A failure is not retried, because the commit that the writes belong to has failed.
int flush(sqlite3_file* file) {
  Gathered* gathered = own(file).gathered;
  if (gathered == nullptr || gathered->bytes.empty()) return SQLITE_OK;
  const int code = write_now(file, gathered->bytes, gathered->offset);
  gathered->bytes.clear();
  return code;
}

/// Any call except a further write must see the file as SQLite left it, so it flushes first.
template <typename Really>
int flush_then(sqlite3_file* file, Really really) {
  if (const int code = flush(file); code != SQLITE_OK) return code;
  return really();
}

int file_close(sqlite3_file* file) {
  const int flushed = flush(file);
  delete own(file).gathered;
  const int code = below(file)->pMethods->xClose(below(file));
  own(file).base.pMethods = nullptr;
  return flushed == SQLITE_OK ? code : flushed;
}
int file_read(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
  const DiskCall call{
      .kind = Kind::kRead, .offset = static_cast<std::uint64_t>(offset), .size = static_cast<std::uint64_t>(size)};
  return flush_then(file, [&] {
    return pass(*own(file).disk, own(file).path, call, SQLITE_IOERR_READ,
                [&] { return below(file)->pMethods->xRead(below(file), to, size, offset); });
  });
}
int file_write(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
  const std::string_view bytes{static_cast<const char*>(from), static_cast<std::size_t>(size)};
  Gathered* gathered = own(file).gathered;
  if (gathered == nullptr) return write_now(file, bytes, offset);
  if (!gathered->takes(bytes.size(), offset)) {
    if (const int code = flush(file); code != SQLITE_OK) return code;
    gathered->offset = offset;
  }
  gathered->bytes += bytes;
  return SQLITE_OK;
}
int file_truncate(sqlite3_file* file, sqlite3_int64 size) {
  const DiskCall call{.kind = Kind::kTruncate, .size = static_cast<std::uint64_t>(size)};
  return flush_then(file, [&] {
    return pass(*own(file).disk, own(file).path, call, SQLITE_IOERR_TRUNCATE,
                [&] { return below(file)->pMethods->xTruncate(below(file), size); });
  });
}
int file_sync(sqlite3_file* file, int flags) {
  return flush_then(file, [&] {
    return pass(*own(file).disk, own(file).path, {.kind = Kind::kSync}, SQLITE_IOERR_FSYNC,
                [&] { return below(file)->pMethods->xSync(below(file), flags); });
  });
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return flush_then(file, [&] { return below(file)->pMethods->xFileSize(below(file), size); });
}
int file_lock(sqlite3_file* file, int level) {
  return below(file)->pMethods->xLock(below(file), level);
}
int file_unlock(sqlite3_file* file, int level) {
  return below(file)->pMethods->xUnlock(below(file), level);
}
int file_check_lock(sqlite3_file* file, int* held) {
  return below(file)->pMethods->xCheckReservedLock(below(file), held);
}
int file_control(sqlite3_file* file, int what, void* argument) {
  return flush_then(file, [&] { return below(file)->pMethods->xFileControl(below(file), what, argument); });
}
int file_sector(sqlite3_file* file) {
  return below(file)->pMethods->xSectorSize(below(file));
}
int file_characteristics(sqlite3_file* file) {
  return below(file)->pMethods->xDeviceCharacteristics(below(file));
}

// Version 1: no shared memory (the locking mode is exclusive) and no mapped files, which would bypass the port.
constexpr sqlite3_io_methods kMethods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_characteristics,
};

int vfs_open(sqlite3_vfs* vfs, sqlite3_filename path, sqlite3_file* file, int flags, int* out_flags) {
  File& made = own(file);
  made.base.pMethods = nullptr;
  made.disk = &disk_of(vfs);
  made.path = path;
  made.gathered = nullptr;
  int exists = 0;
  if (path != nullptr) below(vfs)->xAccess(below(vfs), path, SQLITE_ACCESS_EXISTS, &exists);
  const auto really = [&] { return below(vfs)->xOpen(below(vfs), path, made.below(), flags, out_flags); };
  const bool creates = (flags & SQLITE_OPEN_CREATE) != 0 && exists == 0;
  const int code = creates ? pass(disk_of(vfs), path, {.kind = Kind::kCreate}, SQLITE_CANTOPEN, really) : really();
  if (code != SQLITE_OK) return code;
  made.base.pMethods = &kMethods;
  if ((flags & SQLITE_OPEN_WAL) != 0) made.gathered = new Gathered;
  return code;
}
int vfs_delete(sqlite3_vfs* vfs, const char* path, int sync) {
  const int code = pass(disk_of(vfs), path, {.kind = Kind::kRemove}, SQLITE_IOERR_DELETE,
                        [&] { return below(vfs)->xDelete(below(vfs), path, sync); });
  if (code == SQLITE_OK && sync != 0) {
    const std::string directory = parent_of(path);
    disk_of(vfs).after({.kind = Kind::kSyncDirectory, .path = directory});
  }
  return code;
}
int vfs_access(sqlite3_vfs* vfs, const char* path, int flags, int* result) {
  return below(vfs)->xAccess(below(vfs), path, flags, result);
}
int vfs_full_path(sqlite3_vfs* vfs, const char* path, int size, char* to) {
  return below(vfs)->xFullPathname(below(vfs), path, size, to);
}
int vfs_randomness(sqlite3_vfs* vfs, int size, char* to) {
  return below(vfs)->xRandomness(below(vfs), size, to);
}
int vfs_sleep(sqlite3_vfs* vfs, int microseconds) {
  return below(vfs)->xSleep(below(vfs), microseconds);
}
int vfs_time(sqlite3_vfs* vfs, double* now) {
  return below(vfs)->xCurrentTime(below(vfs), now);
}
int vfs_last_error(sqlite3_vfs* vfs, int size, char* to) {
  return below(vfs)->xGetLastError(below(vfs), size, to);
}

}  // namespace

SqliteVfs::SqliteVfs(Disk& disk) : vfs_(std::make_unique<sqlite3_vfs>()) {
  static std::atomic<std::uint64_t> made{0};
  name_ = fmt::format("muster-disk-{}", ++made);
  CHECK(sqlite3_initialize() == SQLITE_OK);
  const sqlite3_vfs* usual = sqlite3_vfs_find("unix");
  CHECK(usual != nullptr);
  *vfs_ = {.iVersion = 1,
           .szOsFile = static_cast<int>(sizeof(File)) + usual->szOsFile,
           .mxPathname = usual->mxPathname,
           .zName = name_.c_str(),
           .pAppData = &disk,
           .xOpen = vfs_open,
           .xDelete = vfs_delete,
           .xAccess = vfs_access,
           .xFullPathname = vfs_full_path,
           .xRandomness = vfs_randomness,
           .xSleep = vfs_sleep,
           .xCurrentTime = vfs_time,
           .xGetLastError = vfs_last_error};
  CHECK(sqlite3_vfs_register(vfs_.get(), 0) == SQLITE_OK);
}

SqliteVfs::~SqliteVfs() {
  sqlite3_vfs_unregister(vfs_.get());
}

}  // namespace muster::store
