#include "store/restore.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/strings.h"
#include "store/backup.h"
#include "store/database.h"
#include "store/disk.h"
#include "store/files.h"
#include "store/load.h"
#include "store/snapshots.h"

namespace muster::store {
namespace {

Status copy_file(Disk& disk, const std::string& from, const std::string& to) {
  TRY(remove_file(disk, to));
  TRY_ASSIGN(const auto source, DiskFile::open_existing(disk, from));
  TRY_ASSIGN(auto target, DiskFile::open(disk, to));
  std::string block(1u << 20, '\0');
  for (std::uint64_t offset = 0;;) {
    TRY_ASSIGN(const std::size_t size, source.read(block.data(), block.size(), offset));
    if (size == 0) return target.sync();
    TRY(target.write(std::string_view(block).substr(0, size), offset));
    offset += size;
  }
}

/// The last revision that the old database still knows, or 0; the database may be damaged or missing.
Revision last_known(Disk& disk, const std::string& path) {
  if (!std::filesystem::exists(path)) return 0;
  auto database = Database::open(disk, path, {});
  if (!database) return 0;
  const auto ledger = database->read_ledger();
  return ledger && *ledger ? (*ledger)->revision : 0;
}

/// The WAL is moved first: a database without its WAL is detected, a WAL next to another database is not.
Result<std::string> move_old_aside(Disk& disk, const std::string& directory, Time now) {
  std::string aside;
  for (const std::string name : {"muster.db-wal", "muster.db-journal", "muster.db"}) {
    const std::string path = directory + "/" + name;
    if (!std::filesystem::exists(path)) continue;
    if (aside.empty()) {
      aside = fmt::format("{}/replaced-{}", directory, compact_time(now));
      TRY(make_directory(aside));
    }
    TRY(rename_file(disk, path, aside + "/" + name));
    TRY(sync_directory(disk, aside));
    TRY(sync_directory(disk, directory));
  }
  return aside;
}

/// Turns the copy into a database of this directory at the given revision, complete under a temporary name.
Status prepare(Disk& disk, const std::string& file, const std::string& path, Ledger ledger) {
  TRY(copy_file(disk, file, path));
  TRY_ASSIGN(auto database, Database::open(disk, path, {}));
  TRY(database.commit({}, ledger));
  TRY(database.checkpoint_and_truncate());
  return ok();
}

}  // namespace

Result<Restored> restore(const std::string& directory, const std::string& file, Time now, Disk* given) {
  Disk& disk = given == nullptr ? Disk::real() : *given;
  if (!std::filesystem::is_regular_file(file)) {
    return Error{.reason = Reason::kNotFound, .message = fmt::format("copy {}: there is no such file", quote(file))};
  }
  TRY_ASSIGN(const Ledger copied, check_copy(disk, file));
  TRY(make_directory(directory));
  TRY_ASSIGN(const auto lock, DirectoryLock::take(directory));

  const std::string path = directory + "/muster.db";
  const std::string prepared = directory + "/restored.db";
  HighWaterMark::Found found;
  TRY_ASSIGN(auto mark, HighWaterMark::open(disk, directory, found));
  Ledger ledger = copied;
  ledger.revision = std::max({copied.revision, found.revision.value_or(0), last_known(disk, path)}) + kJumpAfterLoss;
  TRY(prepare(disk, file, prepared, ledger));

  Restored restored{
      .copied = copied.revision, .revision = ledger.revision, .objects = copied.objects, .kept_aside = ""};
  // Without a mark, an engine would start afresh on a directory whose database has just been moved away.
  if (!found.revision) {
    TRY(mark.write(ledger.revision));
    TRY(mark.sync());
  }
  TRY_ASSIGN(restored.kept_aside, move_old_aside(disk, directory, now));
  TRY(rename_file(disk, prepared, path));
  TRY(remove_file(disk, prepared + "-wal"));
  TRY(sync_directory(disk, directory));
  // The mark is written last: until now it has kept an engine from starting on a partial restore.
  TRY(mark.write(ledger.revision));
  TRY(mark.sync());
  return restored;
}

Result<Revision> copy_snapshot(const std::string& from, const std::string& to) {
  Disk& disk = Disk::real();
  const std::string temporary = to + ".tmp";
  TRY(copy_file(disk, from, temporary));
  TRY_ASSIGN(const Ledger ledger, check_copy(disk, temporary));
  TRY(rename_file(disk, temporary, to));
  TRY(sync_directory(disk, parent_of(to)));
  return ledger.revision;
}

Result<Revision> back_up_offline(const std::string& directory, const std::string& path, Disk* given) {
  Disk& disk = given == nullptr ? Disk::real() : *given;
  const std::string source = directory + "/muster.db";
  if (!std::filesystem::exists(source)) {
    return Error{.reason = Reason::kNotFound,
                 .message = fmt::format("data directory {}: holds no database", quote(directory))};
  }
  TRY_ASSIGN(const auto lock, DirectoryLock::take(directory));
  TRY(write_again_after_failure(disk, directory));
  TRY_ASSIGN(auto database, Database::open(disk, source, {}));
  TRY_ASSIGN(auto backup, Backup::begin(disk, database, path));
  for (;;) {
    TRY_ASSIGN(const auto done, backup->step());
    if (done) return *done;
  }
}

}  // namespace muster::store
