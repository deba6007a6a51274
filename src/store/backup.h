// A copy of the whole database as one file. SQLite's backup API makes it in small steps between commits (VACUUM INTO
// would delay every write); it is checked row by row, and gets its name only when it is complete and durable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/database.h"
#include "store/disk.h"

struct sqlite3_backup;

namespace muster::store {

/// Checks whether a copy can be trusted: its layout is known, every row has the right checksum, and together the rows
/// match the ledger.
class CopyCheck {
 public:
  static Result<CopyCheck> open(Disk& disk, const std::string& path);
  /// Checks a bounded number of rows. Returns true when all rows have been checked and are right.
  Result<bool> step();
  const Ledger& ledger() const { return expected_; }

 private:
  CopyCheck(Database database, std::string path) : database_(std::move(database)), path_(std::move(path)) {}
  Error problem(const std::string& what) const;

  Database database_;
  std::string path_;
  Ledger expected_;
  Ledger found_;
  std::int64_t last_row_ = 0;
};

/// Runs the whole check at once.
Result<Ledger> check_copy(Disk& disk, const std::string& path);

class Backup {
 public:
  /// The source must outlive the backup and be used on the same thread. A file at `path` is replaced at the end.
  static Result<std::unique_ptr<Backup>> begin(Disk& disk, Database& source, const std::string& path);
  ~Backup();  // removes an incomplete copy
  Backup(const Backup&) = delete;
  Backup& operator=(const Backup&) = delete;

  /// Does a bounded amount of work. Returns the revision of the copy once it is complete.
  Result<std::optional<Revision>> step();

 private:
  struct End {
    void operator()(sqlite3_backup* backup) const;
  };

  Backup() = default;
  Status copy_some();
  Result<std::optional<Revision>> check_some();

  Disk* disk_ = nullptr;
  std::string path_;
  std::string temporary_;  // "" before the file is created and after it is renamed
  std::optional<DiskFile> file_;
  std::optional<Database> target_;
  std::unique_ptr<sqlite3_backup, End> copying_;
  int unsynced_pages_ = 0;
  std::optional<CopyCheck> check_;
};

}  // namespace muster::store
