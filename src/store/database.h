// The SQLite side of the store: one connection, used by one thread at a time (the opener, then the writer), which does
// every write and every checkpoint. SQLite 3.40 can corrupt a WAL when two connections do (sqlite.org, walresetbug).
//
// Layout, version 1 (PRAGMA user_version):
//
//   objects(id INTEGER PRIMARY KEY, resource, ns, name, revision, checksum, bytes)
//   ledger(id = 1, revision, objects, digest, checksum)
//
// Rows are addressed by id alone, and there is no index over names: memory has one, and a damaged index would let a
// delete miss its row. The ledger is rewritten by every transaction and says what all rows must add up to, so a row
// that vanished or fell back to an older version (both leave every remaining checksum right) shows at the next load.
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
  std::uint64_t objects = 0;  // rows there are
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
  /// Of a database that this engine has opened. Older ones are brought to it, newer ones refused.
  static const std::int64_t kLayout;

  struct Limits {
    std::size_t max_bytes = 0;  // 0: what the disk holds
  };

  /// Opens or makes it, and brings its layout to ours. A newer layout is refused.
  static Result<Database> open(Disk& disk, const std::string& path, const Limits& limits);

  /// A copy that nobody writes, to be read. A newer layout is refused.
  static Result<Database> open_copy(Disk& disk, const std::string& path);
  /// An empty file to be filled by a backup. Durability is the caller's.
  static Result<Database> open_target(Disk& disk, const std::string& path);

  /// nullopt: the record is missing or damaged.
  Result<std::optional<Ledger>> read_ledger();
  /// Every row as it is stored, unchecked, by id.
  Status scan(const std::function<void(const Row&)>& visit);

  /// At most `limit` rows whose id is greater, by id.
  Status scan_some(std::int64_t after, int limit, const std::function<void(const Row&)>& visit);
  /// Bytes of all pages.
  Result<std::uint64_t> size();

  /// All changes and the new ledger in one durable transaction. StorageFull: nothing of it happened and the connection
  /// is good. Any other error: what happened is unknown, the connection must not be used again.
  Status commit(std::span<const RowChange> changes, const Ledger& ledger);

  /// Pages in the WAL after the last commit.
  int wal_pages() const { return *wal_pages_; }
  /// Moves the WAL's pages into the database. StorageFull leaves them where they are, for a later try.
  Status checkpoint();
  /// The same, and empties the WAL file: at an orderly end.
  Status checkpoint_and_truncate();

  /// For what belongs to this layer and is in another file (backup.cc).
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
  std::unique_ptr<int> wal_pages_ = std::make_unique<int>(0);  // its address is known to SQLite
  std::unique_ptr<SqliteVfs> vfs_;
  std::unique_ptr<sqlite3, CloseConnection> connection_;
  Statement insert_;
  Statement update_;
  Statement delete_;
  Statement ledger_;
};

}  // namespace muster::store
