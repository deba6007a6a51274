// SQLite's I/O through the Disk port: a VFS under a name of its own that hands each call to SQLite's usual one, after
// the disk has agreed to it.
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

  /// For sqlite3_open_v2. Valid while this lives, which must be longer than any connection opened with it.
  const char* name() const { return name_.c_str(); }

 private:
  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
};

}  // namespace muster::store
