// The SQLite side of the store: one connection, used by one thread at a time (the opener, then the writer), which does
// every write and every checkpoint. SQLite 3.40 can corrupt a WAL when two connections do (sqlite.org, walresetbug).
//
// Layout, version 1 (PRAGMA user_version):
//
//   objects(id INTEGER PRIMARY KEY, resource, ns, name, revision, checksum, bytes)
//   ledger(id = 1, revision, objects, digest, checksum)
//
// Rows are addressed by id alone, and there is no index on names: memory has one, and a damaged index would let a
// delete miss its row. Every transaction rewrites the ledger, which states what all rows must add up to. A row that
// vanished or reverted to an older version leaves all other checksums right, but the next load detects it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/disk.h"
#include "store/sqlite_vfs.h"
#include "store/types.h"

struct sqlite3;
struct sqlite3_stmt;

namespace muster::store {

struct Ledger {
  Revision revision = 0;      // of the last committed write
  std::uint64_t objects = 0;  // the number of rows
  std::uint64_t digest = 0;   // sum of their checksums, modulo 2^64
  bool operator==(const Ledger&) const = default;
};

struct Row {
  std::int64_t id = 0;
  Key key;
  Revision revision = 0;
  std::uint64_t checksum = 0;
  std::string_view bytes;  // valid during the visit
};

struct RowChange {
  enum class Kind { kInsert, kUpdate, kDelete };
  Kind kind = Kind::kInsert;
  std::int64_t id = 0;
  const Key* key = nullptr;
  Revision revision = 0;
  std::uint64_t checksum = 0;
  std::string_view bytes;
};

class Database {
 public:
  /// The layout of a database that this engine has opened. Older layouts are migrated to it, newer ones rejected.
  static const std::int64_t kLayout;

  struct Limits {
    std::size_t max_bytes = 0;  // 0: limited only by the disk
  };

  /// Opens or creates the database and migrates its layout to ours. A newer layout is rejected.
  static Result<Database> open(Disk& disk, const std::string& path, const Limits& limits);

  /// Opens a copy that no one writes to, for reading. A newer layout is rejected.
  static Result<Database> open_copy(Disk& disk, const std::string& path);
  /// Opens an empty file that a backup will fill. The caller is responsible for durability.
  static Result<Database> open_target(Disk& disk, const std::string& path);

  /// Returns nullopt when the record is missing or damaged.
  Result<std::optional<Ledger>> read_ledger();
  /// Visits every row in the order of ids, as it is stored and unchecked.
  Status scan(const std::function<void(const Row&)>& visit);

  /// Visits at most `limit` rows with a greater id than `after`, in the order of ids.
  Status scan_some(std::int64_t after, int limit, const std::function<void(const Row&)>& visit);
  /// The size of all pages in bytes.
  Result<std::uint64_t> size();

  /// Commits all changes and the new ledger in one durable transaction. StorageFull: nothing was changed and the
  /// connection is still good. Any other error: the outcome is unknown, and the connection must not be used again.
  Status commit(std::span<const RowChange> changes, const Ledger& ledger);

  /// The number of pages in the WAL after the last commit.
  int wal_pages() const { return *wal_pages_; }
  /// Moves the WAL's pages into the database. StorageFull leaves them in the WAL for a later attempt.
  Status checkpoint();
  /// As above, and also empties the WAL file, for an orderly end.
  Status checkpoint_and_truncate();

  /// The raw connection, for code of this layer in another file (backup.cc).
  sqlite3* connection() const { return connection_.get(); }
  Error failure(std::string_view what) const;

 private:
  struct CloseConnection {
    void operator()(sqlite3* connection) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  Database() = default;
  Status configure(const Limits& limits);
  Status set(const char* pragma, const char* value, std::string_view reads_as);
  static Result<Database> connect(Disk& disk, const std::string& path, int flags);
  Result<std::int64_t> layout();
  Status migrate();
  Status prepare_all();
  Result<Statement> prepare(const char* sql);
  Status execute(const std::string& sql);
  Result<std::string> query_text(const std::string& sql);
  Status write_row(const RowChange& change);
  Status write_ledger(const Ledger& ledger);
  Status step(sqlite3_stmt* statement);
  Status roll_back(Error cause);
  Status run_checkpoint(int mode);

  std::string path_;
  std::unique_ptr<int> wal_pages_ = std::make_unique<int>(0);  // SQLite keeps its address
  std::unique_ptr<SqliteVfs> vfs_;
  std::unique_ptr<sqlite3, CloseConnection> connection_;
  Statement insert_;
  Statement update_;
  Statement delete_;
  Statement ledger_;
};

}  // namespace muster::store
