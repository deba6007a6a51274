#include "store/writer.h"

#include <fmt/core.h>

#include <chrono>

#include "base/log.h"
#include "base/strings.h"
#include "base/thread.h"

namespace muster::store {
namespace {

// How far the high-water mark on disk may lag behind, and how often a full disk is checked for space.
constexpr auto kLag = std::chrono::seconds(1);

// A checkpoint waits for a quiet moment until the WAL is this many times longer than intended. On a full disk it does
// not wait, because deletes must fit into the ballast.
constexpr int kPatience = 12;

std::shared_ptr<const Error> shared_error(Reason reason, std::string message) {
  auto error = std::make_shared<Error>();
  error->reason = reason;
  error->message = std::move(message);
  return error;
}

RowChange row_change(const Write& write) {
  RowChange change;
  change.kind = write.kind;
  change.id = write.row;
  change.key = &write.key;
  change.revision = write.revision;
  change.checksum = write.checksum;
  if (write.bytes != nullptr) change.bytes = *write.bytes;
  return change;
}

void add_up(Ledger& ledger, const Write& write) {
  ledger.revision = write.revision;
  ledger.digest += write.checksum - write.previous_checksum;
  if (write.kind == RowChange::Kind::kInsert) ++ledger.objects;
  if (write.kind == RowChange::Kind::kDelete) --ledger.objects;
}

}  // namespace

Writer::Writer(Parts parts, std::function<void(Completion)> deliver)
    : parts_(std::move(parts)), deliver_(std::move(deliver)), next_checkpoint_(parts_.checkpoint_pages) {
  thread_ = start_thread("store-writer", [this] { run(); });
}

void Writer::push(Write write) {
  const MutexLock lock(mutex_);
  queue_.push_back(std::move(write));
  wake_.notify_one();
}

void Writer::back_up(std::string path, BackupDone done) {
  const MutexLock lock(mutex_);
  backups_.push_back({std::move(path), std::move(done)});
  wake_.notify_one();
}

void Writer::stop() {
  if (!thread_.joinable()) return;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_.join();
}

bool Writer::has_work() const {
  return stopping_ || !queue_.empty() || !backups_.empty() || backup_ != nullptr;
}

void Writer::run() {
  for (;;) {
    std::vector<Write> writes;
    bool stopping = false;
    const bool chores = fatal_ == nullptr && (parts_.mark.dirty() || parts_.disk_full);
    {
      const MutexLock lock(mutex_);
      while (!has_work()) {
        if (!chores) {
          mutex_.wait(wake_);
        } else if (!mutex_.wait_for(wake_, kLag)) {
          break;
        }
      }
      writes.swap(queue_);
      stopping = stopping_;
    }
    if (!writes.empty()) {
      write_group(std::move(writes));
    } else if (stopping) {
      end_backups();
      return finish();
    } else if (parts_.mark.dirty()) {
      sync_mark();
    }
    if (parts_.disk_full) look_for_space();
    step_backup();
    checkpoint_when_due();
  }
}

/// Starts the next backup when none is in progress, and does one step of it.
void Writer::step_backup() {
  if (backup_ == nullptr) {
    std::string path;
    {
      const MutexLock lock(mutex_);
      if (backups_.empty()) return;
      path = std::move(backups_.front().path);
      backup_done_ = std::move(backups_.front().done);
      backups_.erase(backups_.begin());
    }
    if (fatal_ != nullptr) return end_backup(*fatal_);
    auto begun = Backup::begin(*parts_.disk, parts_.database, path);
    if (!begun) return end_backup(std::move(begun).error());
    backup_ = *std::move(begun);
  }
  if (fatal_ != nullptr) return end_backup(*fatal_);
  auto stepped = backup_->step();
  if (!stepped) return end_backup(std::move(stepped).error());
  if (*stepped) end_backup(**stepped);
}

void Writer::end_backup(Result<Revision> outcome) {
  backup_.reset();
  Completion completion = make_completion({});
  // The outcome is shared, because g++ 12 warns about uninitialised members in a variant that a closure holds.
  auto result = std::make_shared<const Result<Revision>>(std::move(outcome));
  completion.reports.push_back(
      [done = std::move(backup_done_), result = std::move(result)]() mutable { done(*result); });
  deliver_(std::move(completion));
}

/// When the store closes, pending and waiting backups end with an error.
void Writer::end_backups() {
  const auto stopping = shared_error(Reason::kServiceUnavailable, "store: closed before the copy was complete");
  if (backup_ != nullptr) end_backup(*stopping);
  std::vector<BackupRequest> waiting;
  {
    const MutexLock lock(mutex_);
    waiting.swap(backups_);
  }
  for (auto& request : waiting) {
    backup_done_ = std::move(request.done);
    end_backup(*stopping);
  }
}

void Writer::write_group(std::vector<Write> writes) {
  const MonoTime newest = writes.back().accepted;
  std::vector<Write*> group;
  for (auto& write : writes) {
    if (write.generation == generation_) {
      group.push_back(&write);
    } else {
      write.refused = shared_error(Reason::kStorageFull, "the write it builds on found the disk full");
    }
  }
  if (fatal_ != nullptr) {
    refuse(group, fatal_);
  } else if (auto error = group.empty() ? std::nullopt : commit(group)) {
    if (error->reason == Reason::kStorageFull) {
      ++generation_;  // writes accepted on top of this group fail with it
      note_disk_full();
      refuse(group,
             shared_error(Reason::kStorageFull,
                          fmt::format("data directory {}: no space left; delete objects or free some space on its disk",
                                      quote(parts_.directory))));
    } else {
      fail(*error);
      refuse(group, fatal_);
    }
  }
  deliver_(make_completion(std::move(writes)));
  if (!parts_.mark.dirty()) return;
  // The lag counts from the first write that is not synced: a write after a pause does not wait for this sync.
  if (!mark_dirty_since_) mark_dirty_since_ = newest;
  if (newest - *mark_dirty_since_ >= kLag) sync_mark();
}

/// Returns the error, if any, after which no write of the group may be acknowledged.
std::optional<Error> Writer::commit(const std::vector<Write*>& group) {
  std::vector<RowChange> changes;
  changes.reserve(group.size());
  Ledger ledger = parts_.ledger;
  for (const Write* write : group) {
    changes.push_back(row_change(*write));
    add_up(ledger, *write);
  }
  if (auto done = parts_.database.commit(changes, ledger); !done) return std::move(done).error();
  parts_.ledger = ledger;
  // The mark is written after the commit, or a crash in between would look like a loss; and before the acknowledgement,
  // or a loss could go unnoticed.
  if (auto noted = parts_.mark.write(ledger.revision); !noted) {
    Error error = std::move(noted).error();
    error.reason = Reason::kInternalError;
    return error;
  }
  ++stats_.commits;
  stats_.writes += group.size();
  look_whether_full();
  return std::nullopt;
}

void Writer::refuse(const std::vector<Write*>& group, const std::shared_ptr<const Error>& why) {
  for (Write* write : group) write->refused = why;
}

void Writer::note_disk_full() {
  ++stats_.times_full;
  parts_.ballast.release();
  parts_.disk_full = true;
}

/// Before the disk is full, so that the log is nearly empty then and has room for many deletes. The ballast stays: it
/// is released for a commit or a checkpoint that needs it, and what is released can be taken by others.
void Writer::look_whether_full() {
  if (parts_.disk_full || !parts_.ballast.is_needed()) return;
  ++stats_.times_full;
  parts_.disk_full = true;
  next_checkpoint_ = 1;
}

void Writer::look_for_space() {
  if (fatal_ != nullptr || !parts_.ballast.reserve()) return;
  parts_.disk_full = false;
  parts_.room.hold();
  deliver_(make_completion({}));
}

void Writer::sync_mark() {
  mark_dirty_since_.reset();
  if (fatal_ != nullptr) return;
  if (auto synced = parts_.mark.sync(); !synced) {
    fail(synced.error());
    deliver_(make_completion({}));
  }
}

void Writer::checkpoint_when_due() {
  const int pages = parts_.database.wal_pages();
  if (fatal_ != nullptr || pages < next_checkpoint_) return;
  if (!parts_.disk_full && pages < next_checkpoint_ * kPatience) {
    const MutexLock lock(mutex_);
    if (!queue_.empty()) return;
  }
  const auto done = parts_.database.checkpoint();
  if (done) {
    ++stats_.checkpoints;
    next_checkpoint_ = parts_.checkpoint_pages;
    parts_.room.hold();
    return;
  }
  if (done.error().reason == Reason::kStorageFull) {
    // Nothing is lost: the pages stay in the WAL. Creates stop until there is room to move them.
    note_disk_full();
    next_checkpoint_ = pages + parts_.checkpoint_pages;
  } else {
    fail(done.error());
  }
  deliver_(make_completion({}));
}

void Writer::finish() {
  if (fatal_ != nullptr) return;
  // Everything is durable already, so a failure here only makes the next start read a longer WAL.
  // What is truncated could be taken by others: on a full disk the next start needs it.
  const auto done = parts_.disk_full ? parts_.database.checkpoint() : parts_.database.checkpoint_and_truncate();
  if (!done) LOG_WARN("store: checkpoint at close", {"error", done.error().message});
  if (!parts_.mark.dirty()) return;
  if (const auto synced = parts_.mark.sync(); !synced) {
    LOG_WARN("store: sync at close", {"error", synced.error().message});
  }
}

void Writer::fail(const Error& cause) {
  note_failure(*parts_.disk, parts_.directory);
  fatal_ =
      shared_error(Reason::kServiceUnavailable,
                   fmt::format("store: {}; the outcome of the last writes is unknown until the engine has restarted",
                               cause.message));
}

Completion Writer::make_completion(std::vector<Write> writes) {
  Completion completion;
  completion.writes = std::move(writes);
  completion.generation = generation_;
  if (fatal_ != nullptr && !fatal_told_) {
    completion.fatal = fatal_;
    fatal_told_ = true;
  }
  completion.stats = stats_;
  completion.stats.is_full = parts_.disk_full;
  return completion;
}

}  // namespace muster::store
