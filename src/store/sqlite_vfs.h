// Routes SQLite's I/O through the Disk port: a VFS with its own name passes each call to SQLite's default one, after
// the disk has permitted it.
#pragma once

#include <memory>
#include <string>

#include "store/disk.h"

struct sqlite3_vfs;

namespace muster::store {

class SqliteVfs {
 public:
  explicit SqliteVfs(Disk& disk);
  ~SqliteVfs();
  SqliteVfs(const SqliteVfs&) = delete;
  SqliteVfs& operator=(const SqliteVfs&) = delete;

  /// The name for sqlite3_open_v2. This object must outlive every connection opened with it.
  const char* name() const { return name_.c_str(); }

 private:
  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
};

}  // namespace muster::store
