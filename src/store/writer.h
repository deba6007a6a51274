// The thread that makes writes durable. It takes everything that is queued, commits it as one transaction, notes the
// revision outside the database, hands all outcomes back at once, and checkpoints between groups.
//
// It owns the database connection, the high-water mark and the ballast. The loop thread calls `push` and `stop`; the
// `deliver` function is called on the writer's thread.
//
// Three ways a group can end:
//   durable         every write in it is acknowledged
//   disk full       nothing of it happened; writes that were accepted on top of it (an older generation) are refused
//                   too, the ballast is given up, and the thread looks once a second whether there is space again. The
//                   store already counts as full a little earlier, so that its log has room for many deletes
//   any other error what happened is unknown: nothing is ever acknowledged again
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "store/backup.h"
#include "store/database.h"
#include "store/files.h"
#include "store/index.h"
#include "store/types.h"

namespace muster::store {

/// One accepted write. It travels to the writer and back; only the loop thread uses entry and done.
struct Write {
  RowChange::Kind kind = RowChange::Kind::kInsert;
  Key key;
  Revision revision = 0;
  std::int64_t row = 0;
  std::uint64_t checksum = 0;           // of the new version; 0 for a delete
  std::uint64_t previous_checksum = 0;  // of the version it replaces; 0 for an insert
  Bytes bytes;                          // the stored bytes; null for a delete
  std::uint64_t generation = 0;
  MonoTime accepted;

  Entry entry;  // what the caller receives
  WriteDone done;
  std::shared_ptr<const Error> refused;  // the outcome: null when durable
};

/// What the loop thread receives after one round of the writer.
struct Completion {
  std::vector<Write> writes;  // in the order they were accepted
  std::uint64_t generation = 0;
  std::shared_ptr<const Error> fatal;  // set once
  Stats stats;
  std::vector<Task> reports;  // outcomes of backups
};

class Writer {
 public:
  struct Parts {
    Disk* disk = nullptr;
    Database database;
    HighWaterMark mark;
    Ballast ballast;
    Room room;
    Ledger ledger;
    std::string directory;
    int checkpoint_pages = 0;
    bool disk_full = false;
  };

  Writer(Parts parts, std::function<void(Completion)> deliver);
  ~Writer() { stop(); }

  void push(Write write);
  void back_up(std::string path, BackupDone done);
  /// Commits the queued writes, checkpoints and ends the thread. Nothing may be pushed afterwards.
  void stop();

 private:
  struct BackupRequest {
    std::string path;
    BackupDone done;
  };

  void run();
  bool has_work() const REQUIRES(mutex_);
  void write_group(std::vector<Write> writes);
  std::optional<Error> commit(const std::vector<Write*>& group);
  void refuse(const std::vector<Write*>& group, const std::shared_ptr<const Error>& why);
  void note_disk_full();
  void look_whether_full();
  void look_for_space();
  void sync_mark();
  void checkpoint_when_due();
  void step_backup();
  void end_backup(Result<Revision> outcome);
  void end_backups();
  void finish();
  void fail(const Error& cause);
  Completion make_completion(std::vector<Write> writes);

  // Only the writer thread uses these after construction.
  Parts parts_;
  std::function<void(Completion)> deliver_;
  std::uint64_t generation_ = 0;
  std::optional<MonoTime> mark_dirty_since_;
  int next_checkpoint_ = 0;
  std::unique_ptr<Backup> backup_;  // the one in progress
  BackupDone backup_done_;
  std::shared_ptr<const Error> fatal_;
  bool fatal_told_ = false;
  Stats stats_;

  Mutex mutex_;
  std::condition_variable wake_;
  // The loop thread bounds the queue, because it knows how many writes are in progress.
  std::vector<Write> queue_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<BackupRequest> backups_ GUARDED_BY(mutex_);

  std::jthread thread_;
};

}  // namespace muster::store
