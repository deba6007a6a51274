#include "store/database.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <array>
#include <limits>

#include "base/strings.h"
#include "store/checksum.h"

namespace muster::store {
namespace {

// Entry i migrates layout i to i + 1, in one transaction.
constexpr std::array kMigrations = {
    "CREATE TABLE objects(id INTEGER PRIMARY KEY, resource TEXT NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL,"
    " revision INTEGER NOT NULL, checksum INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;"
    "CREATE TABLE ledger(id INTEGER PRIMARY KEY CHECK(id = 1), revision INTEGER NOT NULL, objects INTEGER NOT NULL,"
    " digest INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;",
};

constexpr std::size_t kPageBytes = 4096;

std::uint64_t ledger_checksum(const Ledger& ledger) {
  const std::array<std::uint64_t, 3> fields = {ledger.revision, ledger.objects, ledger.digest};
  return checksum({reinterpret_cast<const char*>(fields.data()), sizeof fields});
}

std::string_view column_text(sqlite3_stmt* statement, int column) {
  const void* text = sqlite3_column_blob(statement, column);
  const int size = sqlite3_column_bytes(statement, column);
  return text == nullptr ? std::string_view()
                         : std::string_view(static_cast<const char*>(text), static_cast<std::size_t>(size));
}

std::uint64_t column_unsigned(sqlite3_stmt* statement, int column) {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement, column));
}

void bind_text(sqlite3_stmt* statement, int at, const std::string& text) {
  sqlite3_bind_text64(statement, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void bind_unsigned(sqlite3_stmt* statement, int at, std::uint64_t value) {
  sqlite3_bind_int64(statement, at, static_cast<sqlite3_int64>(value));
}

std::string escape_for_uri(const std::string& path) {
  std::string escaped;
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      escaped += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

int remember_wal_pages(void* pages, sqlite3*, const char*, int count) {
  *static_cast<int*>(pages) = count;
  return SQLITE_OK;
}

}  // namespace

const std::int64_t Database::kLayout = static_cast<std::int64_t>(kMigrations.size());

void Database::CloseConnection::operator()(sqlite3* connection) const {
  sqlite3_close(connection);
}
void Database::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Result<Database> Database::connect(Disk& disk, const std::string& path, int flags) {
  Database database;
  database.vfs_ = std::make_unique<SqliteVfs>(disk);
  database.path_ = path;
  // "immutable" promises that no one changes the file: SQLite then needs no lock, no WAL and no journal next to it.
  const bool reads = (flags & SQLITE_OPEN_READONLY) != 0;
  const std::string name = reads ? fmt::format("file:{}?immutable=1", escape_for_uri(path)) : path;
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &connection,
                                   flags | (reads ? SQLITE_OPEN_URI : 0) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                                   database.vfs_->name());
  database.connection_.reset(connection);
  if (code != SQLITE_OK) return database.failure("open");
  return database;
}

Result<Database> Database::open(Disk& disk, const std::string& path, const Limits& limits) {
  TRY_ASSIGN(auto database, connect(disk, path, SQLITE_OPEN_READWRITE));
  TRY(database.configure(limits));
  TRY(database.migrate());
  TRY(database.prepare_all());
  return database;
}

Result<Database> Database::open_copy(Disk& disk, const std::string& path) {
  TRY_ASSIGN(auto database, connect(disk, path, SQLITE_OPEN_READONLY));
  TRY(database.execute("PRAGMA cell_size_check = ON"));
  TRY_ASSIGN(const auto layout, database.layout());
  if (layout == 0) return database.failure("is not a database of an engine");
  return database;
}

Result<Database> Database::open_target(Disk& disk, const std::string& path) {
  TRY_ASSIGN(auto database, connect(disk, path, SQLITE_OPEN_READWRITE));
  TRY(database.set("journal_mode", "OFF", "off"));
  TRY(database.set("synchronous", "OFF", "0"));
  // A small cache makes SQLite write pages as they come instead of all at the end.
  TRY(database.execute("PRAGMA cache_size = 128"));
  return database;
}

Status Database::configure(const Limits& limits) {
  sqlite3* const connection = connection_.get();
  // Closing after an I/O error must not touch the files again, so SQLite never checkpoints by itself.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // There are no padding frames after the one that commits: `commit` relies on it to know what SQLITE_FULL means.
  int powersafe = 1;
  sqlite3_file_control(connection, "main", SQLITE_FCNTL_POWERSAFE_OVERWRITE, &powersafe);
  TRY(execute(fmt::format("PRAGMA page_size = {}", kPageBytes)));
  // EXCLUSIVE is set before WAL: the WAL's index is then in our memory and there is no -shm file to share.
  TRY(set("locking_mode", "EXCLUSIVE", "exclusive"));
  TRY(set("journal_mode", "WAL", "wal"));
  TRY(set("synchronous", "FULL", "2"));
  TRY(execute("PRAGMA wal_autocheckpoint = 0"));
  TRY(execute("PRAGMA cell_size_check = ON"));
  TRY(execute("PRAGMA temp_store = MEMORY"));
  if (limits.max_bytes > 0) TRY(execute(fmt::format("PRAGMA max_page_count = {}", limits.max_bytes / kPageBytes)));
  sqlite3_wal_hook(connection, remember_wal_pages, wal_pages_.get());
  return ok();
}

/// Sets a pragma that our guarantees depend on. SQLite silently ignores what it cannot do, so the value is read back.
Status Database::set(const char* pragma, const char* value, std::string_view reads_as) {
  TRY(execute(fmt::format("PRAGMA {} = {}", pragma, value)));
  TRY_ASSIGN(const auto now, query_text(fmt::format("PRAGMA {}", pragma)));
  if (now != reads_as) return failure(fmt::format("{} is {}, cannot be made {}", pragma, now, value));
  return ok();
}

/// Rejects a layout that this engine does not know.
Result<std::int64_t> Database::layout() {
  TRY_ASSIGN(const auto version, query_text("PRAGMA user_version"));
  const auto layout = parse_int(version).value_or(-1);
  if (layout >= 0 && layout <= kLayout) return layout;
  Error error;
  error.reason = Reason::kConflict;
  error.message =
      fmt::format("database {}: has layout {}, this engine knows layouts up to {}; use the newer engine that wrote it",
                  quote(path_), version, kLayout);
  return error;
}

Status Database::migrate() {
  TRY_ASSIGN(auto layout, this->layout());
  for (; layout < kLayout; ++layout) {
    TRY(execute(fmt::format("BEGIN IMMEDIATE; {} PRAGMA user_version = {}; COMMIT",
                            kMigrations[static_cast<std::size_t>(layout)], layout + 1)));
  }
  return ok();
}

Status Database::prepare_all() {
  TRY_ASSIGN(insert_, prepare("INSERT INTO objects(id, resource, ns, name, revision, checksum, bytes)"
                              " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  TRY_ASSIGN(update_, prepare("UPDATE objects SET revision = ?2, checksum = ?3, bytes = ?4 WHERE id = ?1"));
  TRY_ASSIGN(delete_, prepare("DELETE FROM objects WHERE id = ?1"));
  TRY_ASSIGN(ledger_, prepare("INSERT OR REPLACE INTO ledger(id, revision, objects, digest, checksum)"
                              " VALUES(1, ?1, ?2, ?3, ?4)"));
  return ok();
}

Result<std::optional<Ledger>> Database::read_ledger() {
  TRY_ASSIGN(const auto query, prepare("SELECT revision, objects, digest, checksum FROM ledger WHERE id = 1"));
  const int code = sqlite3_step(query.get());
  if (code == SQLITE_DONE) return std::optional<Ledger>();
  if (code != SQLITE_ROW) return failure("read the ledger");
  Ledger ledger;
  ledger.revision = column_unsigned(query.get(), 0);
  ledger.objects = column_unsigned(query.get(), 1);
  ledger.digest = column_unsigned(query.get(), 2);
  if (column_unsigned(query.get(), 3) != ledger_checksum(ledger)) return std::optional<Ledger>();
  return std::optional<Ledger>(ledger);
}

Status Database::scan(const std::function<void(const Row&)>& visit) {
  return scan_some(std::numeric_limits<std::int64_t>::min(), -1, visit);
}

Status Database::scan_some(std::int64_t after, int limit, const std::function<void(const Row&)>& visit) {
  TRY_ASSIGN(const auto query,
             prepare("SELECT id, resource, ns, name, revision, checksum, bytes FROM objects WHERE id > ?1 ORDER BY id"
                     " LIMIT ?2"));
  sqlite3_bind_int64(query.get(), 1, after);
  sqlite3_bind_int64(query.get(), 2, limit);
  Row row;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(query.get())) == SQLITE_ROW) {
    row.id = sqlite3_column_int64(query.get(), 0);
    row.key.resource = column_text(query.get(), 1);
    row.key.ns = column_text(query.get(), 2);
    row.key.name = column_text(query.get(), 3);
    row.revision = column_unsigned(query.get(), 4);
    row.checksum = column_unsigned(query.get(), 5);
    row.bytes = column_text(query.get(), 6);
    visit(row);
  }
  return code == SQLITE_DONE ? ok() : Status(failure("read the objects"));
}

Result<std::uint64_t> Database::size() {
  TRY_ASSIGN(const auto pages, query_text("PRAGMA page_count"));
  return static_cast<std::uint64_t>(parse_int(pages).value_or(0)) * kPageBytes;
}

Status Database::commit(std::span<const RowChange> changes, const Ledger& ledger) {
  TRY(execute("BEGIN IMMEDIATE"));
  for (const auto& change : changes) {
    if (auto written = write_row(change); !written) return roll_back(std::move(written).error());
  }
  if (auto written = write_ledger(ledger); !written) return roll_back(std::move(written).error());
  // SQLITE_FULL here comes from writing a frame to the WAL. The frame that commits is the last one written (no padding,
  // see configure) and a failed sync is SQLITE_IOERR, so after SQLITE_FULL no committing frame is complete.
  if (auto committed = execute("COMMIT"); !committed) return roll_back(std::move(committed).error());
  return ok();
}

/// After a full disk the transaction must be rolled back before that is reported. After other errors nothing is tried.
Status Database::roll_back(Error cause) {
  if (cause.reason != Reason::kStorageFull) return cause;
  if (sqlite3_get_autocommit(connection_.get()) == 0) {
    if (auto undone = execute("ROLLBACK"); !undone) {
      Error error = std::move(undone).error();
      error.reason = Reason::kInternalError;
      return error;
    }
  }
  return cause;
}

Status Database::write_row(const RowChange& change) {
  switch (change.kind) {
    case RowChange::Kind::kInsert:
      sqlite3_bind_int64(insert_.get(), 1, change.id);
      bind_text(insert_.get(), 2, change.key->resource);
      bind_text(insert_.get(), 3, change.key->ns);
      bind_text(insert_.get(), 4, change.key->name);
      bind_unsigned(insert_.get(), 5, change.revision);
      bind_unsigned(insert_.get(), 6, change.checksum);
      sqlite3_bind_blob64(insert_.get(), 7, change.bytes.data(), change.bytes.size(), SQLITE_STATIC);
      TRY(step(insert_.get()));
      break;
    case RowChange::Kind::kUpdate:
      sqlite3_bind_int64(update_.get(), 1, change.id);
      bind_unsigned(update_.get(), 2, change.revision);
      bind_unsigned(update_.get(), 3, change.checksum);
      sqlite3_bind_blob64(update_.get(), 4, change.bytes.data(), change.bytes.size(), SQLITE_STATIC);
      TRY(step(update_.get()));
      break;
    case RowChange::Kind::kDelete:
      sqlite3_bind_int64(delete_.get(), 1, change.id);
      TRY(step(delete_.get()));
      break;
  }
  if (sqlite3_changes64(connection_.get()) != 1) {
    return failure(fmt::format("row {} is no longer where it was", change.id));
  }
  return ok();
}

Status Database::write_ledger(const Ledger& ledger) {
  bind_unsigned(ledger_.get(), 1, ledger.revision);
  bind_unsigned(ledger_.get(), 2, ledger.objects);
  bind_unsigned(ledger_.get(), 3, ledger.digest);
  bind_unsigned(ledger_.get(), 4, ledger_checksum(ledger));
  return step(ledger_.get());
}

/// Runs a statement that returns no rows, and resets it for its next use.
Status Database::step(sqlite3_stmt* statement) {
  const int code = sqlite3_step(statement);
  Status result = code == SQLITE_DONE ? ok() : Status(failure("write"));
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return result;
}

Status Database::checkpoint() {
  return run_checkpoint(SQLITE_CHECKPOINT_PASSIVE);
}

Status Database::checkpoint_and_truncate() {
  return run_checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
}

Status Database::run_checkpoint(int mode) {
  const int code = sqlite3_wal_checkpoint_v2(connection_.get(), "main", mode, nullptr, nullptr);
  if (code != SQLITE_OK) return failure("checkpoint");
  *wal_pages_ = 0;
  return ok();
}

Result<Database::Statement> Database::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(connection_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK) {
    return failure("prepare");
  }
  return Statement(statement);
}

Status Database::execute(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return failure(sql);
  return ok();
}

Result<std::string> Database::query_text(const std::string& sql) {
  TRY_ASSIGN(const auto query, prepare(sql.c_str()));
  if (sqlite3_step(query.get()) != SQLITE_ROW) return failure(sql);
  return std::string(column_text(query.get(), 0));
}

Error Database::failure(std::string_view what) const {
  Error error;
  const int code = sqlite3_errcode(connection_.get());
  error.reason = (code & 0xff) == SQLITE_FULL ? Reason::kStorageFull : Reason::kInternalError;
  error.message = fmt::format("database {}: {}", quote(path_), what);
  if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) {
    error.message += fmt::format(": {} (SQLite error {})", sqlite3_errmsg(connection_.get()), code);
  }
  return error;
}

}  // namespace muster::store
