#include "store/store.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/check.h"
#include "base/strings.h"
#include "store/checksum.h"
#include "store/database.h"
#include "store/load.h"
#include "store/scan_at.h"
#include "store/snapshots.h"

namespace muster::store {
namespace {

// What may wait for the writer. Beyond it a write is refused with TooManyRequests and may be tried again.
constexpr std::size_t kMaxPendingWrites = 65'536;
constexpr std::size_t kMaxPendingBytes = 256u << 20;

// Far above what the API server lets in; SQLite's own limit would look like a broken database.
constexpr std::size_t kMaxObjectBytes = 64u << 20;

// On a full disk an update may grow its object by this much: graceful deletion begins with one.
constexpr std::size_t kGrowthWhenFull = 1024;

Error make_error(Reason reason, const Key& key, std::string_view what) {
  Error error;
  error.reason = reason;
  error.message = key.ns.empty() ? fmt::format("{}/{}: {}", key.resource, key.name, what)
                                 : fmt::format("{}/{}/{}: {}", key.resource, key.ns, key.name, what);
  error.name = key.name;
  return error;
}

/// One string without slack: it may live for as long as the object.
Bytes make_bytes(std::string text) {
  text.shrink_to_fit();
  return std::make_shared<const std::string>(std::move(text));
}

void report_outcome(Write& write) {
  write.done(write.refused == nullptr ? Result<Entry>(write.entry) : Result<Entry>(*write.refused));
}

/// What a new directory, or one that lost data and is started anyway, must have on disk before it serves.
Status make_start_durable(Writer::Parts& parts) {
  TRY(parts.database.commit({}, parts.ledger));
  TRY(parts.mark.write(parts.ledger.revision));
  return parts.mark.sync();
}

/// Before SQLite makes a new database in its place: a copy restored later would meet the WAL of that one.
Status check_database_is_there(const std::string& path, const HighWaterMark::Found& mark, const Options& options) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  if (!mark.existed || (!missing && size > 0) || options.accept_data_loss) return ok();
  Error error;
  error.reason = Reason::kInternalError;
  error.message = fmt::format(
      "database {}: is missing, but revision {} was acknowledged; restore a copy, or start with --accept-data-loss to "
      "start empty",
      quote(path), mark.revision.value_or(0));
  return error;
}

/// What there is to go back to, as the end of a sentence; empty when there is nothing.
std::string name_newest_snapshot(const std::string& directory) {
  const auto found = list_snapshots(directory);
  if (found.empty()) return "";
  return fmt::format("; the newest snapshot is of {} (revision {}): muster restore {}",
                     format_rfc3339(found.back().made), found.back().revision, found.back().path);
}

/// The database with all that was checked of it, ready for the writer.
struct Opened {
  Loaded loaded;
  Writer::Parts parts;
};

Result<Opened> open_files(Disk& disk, const Options& options) {
  TRY(write_again_after_failure(disk, options.directory));
  const std::string path = options.directory + "/muster.db";
  HighWaterMark::Found found;
  TRY_ASSIGN(auto mark, HighWaterMark::open(disk, options.directory, found));
  TRY(check_database_is_there(path, found, options));
  // SQLite would make it readable to all.
  TRY(DiskFile::open(disk, path));
  TRY_ASSIGN(auto database, Database::open(disk, path, {.max_bytes = options.max_bytes}));
  TRY_ASSIGN(auto loaded, load(database, found, options));

  Writer::Parts parts{.disk = &disk,
                      .database = std::move(database),
                      .mark = std::move(mark),
                      .ballast = Ballast(disk, options.directory, options.ballast_bytes),
                      .room = Room(path, options.ballast_bytes),
                      .ledger = loaded.ledger,
                      .directory = options.directory,
                      .checkpoint_pages = options.checkpoint_pages,
                      .disk_full = false};
  // Without a mark: the first start died before it had made one.
  if (loaded.fresh || loaded.lost_data || !found.revision) TRY(make_start_durable(parts));
  // All files have their names by now. SQLite syncs the directory too, but does not look whether that worked.
  TRY(sync_directory(disk, options.directory));
  parts.disk_full = !parts.ballast.reserve();
  if (parts.disk_full) parts.ballast.release();  // the log needs its place
  parts.room.hold();
  return Opened{std::move(loaded), std::move(parts)};
}

}  // namespace

Store::Store(Loop& loop, Options options, DirectoryLock lock, Loaded loaded, Writer::Parts parts)
    : loop_(loop),
      options_(std::move(options)),
      lock_(std::move(lock)),
      index_(std::move(loaded.index)),
      problems_(std::move(loaded.problems)),
      revision_(loaded.ledger.revision),
      assigned_(revision_),
      last_row_(loaded.last_row),
      stats_{.is_full = parts.disk_full},
      history_(revision_, {.max_events = options_.history_events,
                           .max_bytes = options_.history_bytes,
                           .max_age = options_.history_age,
                           .events_of_any_age = options_.history_events_of_any_age}),
      self_(std::make_shared<Store*>(this)),
      writer_(std::move(parts), [&to = loop, self = self_](Completion completion) {
        to.post([self, completion = std::move(completion)]() mutable { receive(*self, std::move(completion)); });
      }) {}

Store::~Store() {
  close();
  *self_ = nullptr;
}

Status Store::scan_at(const Range& range, Revision at,
                      const std::function<bool(const Key&, const Entry&)>& visit) const {
  return store::scan_at(index_, history_, range, at, visit);
}

void Store::put(const Key& key, Revision expected, Render render, Done done) {
  const Slot* base = index_.latest(key);
  if (auto error = refuse(key)) return answer(std::move(done), *std::move(error));
  if (expected == 0 && base != nullptr) {
    return answer(std::move(done), make_error(Reason::kAlreadyExists, key, "already exists"));
  }
  if (auto error = check_expected(key, base, expected)) return answer(std::move(done), *std::move(error));
  if (stats_.is_full && base == nullptr) {
    return answer(std::move(done),
                  make_error(Reason::kStorageFull, key, "the disk is full; delete objects or free some space"));
  }

  Write write = begin_write(key, base, std::move(done));
  write.kind = base == nullptr ? RowChange::Kind::kInsert : RowChange::Kind::kUpdate;
  Rendered rendered = render(write.revision);
  write.bytes = make_bytes(std::move(rendered.bytes));
  if (write.bytes->size() > kMaxObjectBytes) {
    return answer(std::move(write.done),
                  make_error(Reason::kRequestEntityTooLarge, key,
                             fmt::format("{} bytes, at most {} can be stored", write.bytes->size(), kMaxObjectBytes)));
  }
  if (stats_.is_full && write.bytes->size() > base->entry.bytes->size() + kGrowthWhenFull) {
    return answer(std::move(write.done),
                  make_error(Reason::kStorageFull, key, "the disk is full; delete objects or free some space"));
  }
  write.checksum = row_checksum(write.row, key, write.revision, *write.bytes);
  write.entry.bytes = write.bytes;
  write.entry.attributes = std::make_shared<const Attributes>(std::move(rendered.attributes));
  Slot slot{write.entry, write.row, write.checksum};
  accept(std::move(write), std::move(slot));
}

void Store::remove(const Key& key, Revision expected, Render render_final, Done done) {
  const Slot* base = index_.latest(key);
  if (auto error = refuse(key)) return answer(std::move(done), *std::move(error));
  if (base == nullptr) return answer(std::move(done), make_error(Reason::kNotFound, key, "not found"));
  if (auto error = check_expected(key, base, expected)) return answer(std::move(done), *std::move(error));

  Write write = begin_write(key, base, std::move(done));
  write.kind = RowChange::Kind::kDelete;
  Rendered rendered = render_final(write.revision);
  write.entry.bytes = make_bytes(std::move(rendered.bytes));
  write.entry.attributes = std::make_shared<const Attributes>(std::move(rendered.attributes));
  accept(std::move(write), std::nullopt);
}

std::optional<Error> Store::refuse(const Key& key) const {
  if (ended_) return ended_;
  if (pending_writes_ >= kMaxPendingWrites || pending_bytes_ >= kMaxPendingBytes) {
    Error error =
        make_error(Reason::kTooManyRequests, key,
                   fmt::format("{} writes ({} bytes) are waiting for the disk", pending_writes_, pending_bytes_));
    error.retry_after = std::chrono::seconds(1);
    return error;
  }
  return std::nullopt;
}

std::optional<Error> Store::check_expected(const Key& key, const Slot* base, Revision expected) const {
  if (base == nullptr) {
    return expected == 0 ? std::nullopt : std::optional(make_error(Reason::kNotFound, key, "not found"));
  }
  if (expected == base->entry.revision) return std::nullopt;
  return make_error(Reason::kConflict, key,
                    fmt::format("is at revision {}, the write was made for {}", base->entry.revision, expected));
}

void Store::answer(Done done, Error error) {
  loop_.post([done = std::move(done), error = std::move(error)]() mutable { done(std::move(error)); });
}

Write Store::begin_write(const Key& key, const Slot* base, Done done) {
  Write write;
  write.key = key;
  write.revision = ++assigned_;
  write.row = base == nullptr ? ++last_row_ : base->row;
  write.previous_checksum = base == nullptr ? 0 : base->checksum;
  write.generation = generation_;
  write.accepted = loop_.mono();
  write.entry.revision = write.revision;
  write.done = std::move(done);
  return write;
}

void Store::accept(Write write, std::optional<Slot> slot) {
  index_.accept(write.key, write.revision, std::move(slot));
  ++pending_writes_;
  pending_bytes_ += write.entry.bytes->size();
  writer_.push(std::move(write));
}

/// On the loop. Who waits is answered even when the store has been closed and destroyed meanwhile.
void Store::receive(Store* store, Completion completion) {
  if (store != nullptr) return store->apply(std::move(completion));
  for (auto& write : completion.writes) report_outcome(write);
  for (auto& report : completion.reports) report();
}

void Store::apply(Completion completion) {
  stats_ = completion.stats;
  if (completion.fatal != nullptr) ended_ = *completion.fatal;
  // Everything accepted before the disk was found full was, or will be, refused: later writes build on what is durable.
  if (completion.generation != generation_) {
    generation_ = completion.generation;
    index_.drop_accepted();
  }
  for (auto& write : completion.writes) {
    --pending_writes_;
    pending_bytes_ -= write.entry.bytes->size();
    if (write.refused == nullptr) publish(write);
    report_outcome(write);
  }
  for (auto& report : completion.reports) report();
  if (completion.fatal != nullptr && options_.on_fatal) options_.on_fatal(*completion.fatal);
}

void Store::publish(const Write& write) {
  auto event = std::make_shared<Event>();
  event->key = write.key;
  event->entry = write.entry;
  std::optional<Slot> slot;
  if (write.kind != RowChange::Kind::kDelete) slot = Slot{write.entry, write.row, write.checksum};
  const auto previous = index_.commit(write.key, write.revision, std::move(slot));
  switch (write.kind) {
    case RowChange::Kind::kInsert:
      event->type = EventType::kAdded;
      break;
    case RowChange::Kind::kUpdate:
      event->type = EventType::kModified;
      break;
    case RowChange::Kind::kDelete:
      event->type = EventType::kDeleted;
      break;
  }
  if (previous) event->previous = previous->entry;
  revision_ = write.revision;
  history_.append(event, loop_.mono());
  fan_out(event);
}

void Store::fan_out(const std::shared_ptr<const Event>& event) {
  const auto found = watchers_.find(event->key.resource);
  if (found == watchers_.end()) return;
  Watchers& watchers = found->second;
  // Callbacks may watch and unwatch. A watcher made by one has seen this event in its replay.
  for (auto at = watchers.begin(); at != watchers.end();) {
    const Id id = at->first;
    const std::shared_ptr<Watcher> watcher = at->second;
    if (event->entry.revision > watcher->seen) {
      watcher->seen = event->entry.revision;
      watcher->on_event(event);
    }
    at = watchers.upper_bound(id);
  }
}

Status Store::replay(const std::string& resource, Revision after,
                     const std::function<bool(const std::shared_ptr<const Event>&)>& visit) {
  history_.compact(loop_.mono());
  return history_.replay(resource, after, visit);
}

Result<Store::Id> Store::watch(const std::string& resource, Revision after, OnEvent on_event) {
  TRY(replay(resource, after, [&](const auto& event) {
    on_event(event);
    return true;
  }));
  const Id id = ++last_watch_;
  auto watcher = std::make_shared<Watcher>();
  watcher->seen = std::max(after, revision_);
  watcher->on_event = std::move(on_event);
  watchers_[resource].emplace(id, std::move(watcher));
  watched_resource_.emplace(id, resource);
  return id;
}

void Store::unwatch(Id id) {
  const auto found = watched_resource_.find(id);
  if (found == watched_resource_.end()) return;
  watchers_[found->second].erase(id);
  watched_resource_.erase(found);
}

void Store::back_up(const std::string& path, BackupDone done) {
  if (ended_) return loop_.post([done = std::move(done), error = *ended_]() mutable { done(error); });
  writer_.back_up(path, std::move(done));
}

void Store::close() {
  if (closed_) return;
  closed_ = true;
  if (!ended_) {
    ended_.emplace();
    ended_->reason = Reason::kServiceUnavailable;
    ended_->message = "store: closed";
  }
  writer_.stop();
  lock_.release();
}

Result<std::unique_ptr<Store>> Store::open(Loop& loop, Options options) {
  CHECK(options.extract != nullptr);
  Disk& disk = options.disk == nullptr ? Disk::real() : *options.disk;
  TRY(make_directory(options.directory));
  TRY_ASSIGN(auto lock, DirectoryLock::take(options.directory));
  auto opened = open_files(disk, options);
  if (!opened) {
    note_failure(disk, options.directory);
    Error error = std::move(opened).error();
    if (error.reason == Reason::kInternalError) error.message += name_newest_snapshot(options.directory);
    return error;
  }
  if (auto& problems = opened->loaded.problems; !problems.empty()) {
    problems.back() += name_newest_snapshot(options.directory);
  }
  return std::unique_ptr<Store>(
      new Store(loop, std::move(options), std::move(lock), std::move(opened->loaded), std::move(opened->parts)));
}

}  // namespace muster::store
