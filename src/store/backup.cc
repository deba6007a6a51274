#include "store/backup.h"

#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/statvfs.h>

#include <cerrno>

#include "base/strings.h"
#include "store/checksum.h"
#include "store/files.h"

namespace muster::store {
namespace {

// A write waits for at most one step. 64 pages of 4 KiB are copied in well under a millisecond.
constexpr int kPagesInAStep = 64;
constexpr int kRowsInAStep = 128;
// The copy is synced this often, so that no single sync takes long.
constexpr int kUnsyncedPages = 1024;

Error make_error(Reason reason, std::string message) {
  Error error;
  error.reason = reason;
  error.message = std::move(message);
  return error;
}

/// Refuses a copy that would leave too little space, because a copy must never fill the disk.
Status check_space(const std::string& path, std::uint64_t needed) {
  struct statvfs space {};
  const std::string directory = parent_of(path);
  if (::statvfs(directory.c_str(), &space) != 0) return errno_error(fmt::format("statvfs {}", quote(directory)), errno);
  const std::uint64_t free = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
  if (free >= 2 * needed) return ok();
  return make_error(Reason::kStorageFull,
                    fmt::format("copy {}: {} bytes are free on its disk, a copy needs {} and leaves as much free; free "
                                "some space",
                                quote(path), free, needed));
}

}  // namespace

Result<CopyCheck> CopyCheck::open(Disk& disk, const std::string& path) {
  TRY_ASSIGN(auto database, Database::open_copy(disk, path));
  CopyCheck check(std::move(database), path);
  TRY_ASSIGN(const auto ledger, check.database_.read_ledger());
  if (!ledger) return check.problem("it has no valid ledger");
  check.expected_ = *ledger;
  return check;
}

Error CopyCheck::problem(const std::string& what) const {
  return make_error(Reason::kBadRequest, fmt::format("copy {}: {}; choose another copy", quote(path_), what));
}

Result<bool> CopyCheck::step() {
  std::int64_t damaged = 0;
  int seen = 0;
  TRY(database_.scan_some(last_row_, kRowsInAStep, [&](const Row& row) {
    ++seen;
    last_row_ = row.id;
    ++found_.objects;
    found_.digest += row.checksum;
    if (row_checksum(row.id, row.key, row.revision, row.bytes) != row.checksum && damaged == 0) damaged = row.id;
  }));
  if (damaged != 0) return problem(fmt::format("row {} has a wrong checksum", damaged));
  if (seen == kRowsInAStep) return false;
  if (found_.objects != expected_.objects || found_.digest != expected_.digest) {
    return problem(fmt::format("its {} objects are not the {} that its ledger has", found_.objects, expected_.objects));
  }
  return true;
}

Result<Ledger> check_copy(Disk& disk, const std::string& path) {
  TRY_ASSIGN(auto check, CopyCheck::open(disk, path));
  for (bool done = false; !done;) {
    TRY_ASSIGN(done, check.step());
  }
  return check.ledger();
}

void Backup::End::operator()(sqlite3_backup* backup) const {
  sqlite3_backup_finish(backup);
}

Backup::~Backup() {
  copying_.reset();
  target_.reset();
  check_.reset();
  if (!temporary_.empty()) static_cast<void>(remove_file(*disk_, temporary_));
}

Result<std::unique_ptr<Backup>> Backup::begin(Disk& disk, Database& source, const std::string& path) {
  TRY_ASSIGN(const auto size, source.size());
  TRY(check_space(path, size));
  std::unique_ptr<Backup> backup(new Backup);
  backup->disk_ = &disk;
  backup->path_ = path;
  backup->temporary_ = path + ".tmp";
  TRY(remove_file(disk, backup->temporary_));
  TRY_ASSIGN(backup->file_, DiskFile::open(disk, backup->temporary_));
  TRY_ASSIGN(backup->target_, Database::open_target(disk, backup->temporary_));
  backup->copying_.reset(sqlite3_backup_init(backup->target_->connection(), "main", source.connection(), "main"));
  if (backup->copying_ == nullptr) return backup->target_->failure("begin a copy");
  return backup;
}

Result<std::optional<Revision>> Backup::step() {
  if (check_) return check_some();
  TRY(copy_some());
  return std::optional<Revision>();
}

Status Backup::copy_some() {
  const int code = sqlite3_backup_step(copying_.get(), kPagesInAStep);
  if (code != SQLITE_OK && code != SQLITE_DONE) {
    Error error = make_error((code & 0xff) == SQLITE_FULL ? Reason::kStorageFull : Reason::kInternalError,
                             fmt::format("copy {}: {} (SQLite error {})", quote(path_), sqlite3_errstr(code), code));
    return error;
  }
  unsynced_pages_ += kPagesInAStep;
  if (code == SQLITE_OK && unsynced_pages_ < kUnsyncedPages) return ok();
  unsynced_pages_ = 0;
  if (code == SQLITE_OK) return file_->sync();
  if (const int ended = sqlite3_backup_finish(copying_.release()); ended != SQLITE_OK) {
    return make_error(Reason::kInternalError,
                      fmt::format("copy {}: {} (SQLite error {})", quote(path_), sqlite3_errstr(ended), ended));
  }
  target_.reset();
  TRY(file_->sync());
  TRY_ASSIGN(check_, CopyCheck::open(*disk_, temporary_));
  return ok();
}

Result<std::optional<Revision>> Backup::check_some() {
  TRY_ASSIGN(const bool done, check_->step());
  if (!done) return std::optional<Revision>();
  const Revision revision = check_->ledger().revision;
  check_.reset();
  TRY(rename_file(*disk_, temporary_, path_));
  temporary_.clear();
  TRY(sync_directory(*disk_, parent_of(path_)));
  return std::optional<Revision>(revision);
}

}  // namespace muster::store
