#include "testing/faulty_disk.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/check.h"
#include "store/files.h"

namespace muster::store {
namespace {

using Kind = DiskCall::Kind;

constexpr std::size_t kSector = 512;

void put_bytes(std::string& content, std::uint64_t offset, std::string_view bytes) {
  if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size(), '\0');
  content.replace(offset, bytes.size(), bytes);
}

}  // namespace

int FaultyDisk::before(const DiskCall& call) {
  const std::lock_guard lock(mutex_);
  if (!chooses_ || !chooses_(call)) return 0;
  const bool now = always_ || chosen_ == fail_at_;
  ++chosen_;
  if (!now) return 0;
  if (!std::exchange(failed_, true)) failed_at_ = log_.size();
  if (call.kind == Kind::kWrite) {
    DiskCall half = call;
    half.bytes = call.bytes.substr(0, call.bytes.size() / 2);
    std::fstream file(std::string(call.path), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(half.offset));
    file.write(half.bytes.data(), static_cast<std::streamsize>(half.bytes.size()));
    record(half, false);
  } else if (call.kind == Kind::kSync) {
    record(call, true);
  }
  return error_;
}

void FaultyDisk::after(const DiskCall& call) {
  if (call.kind == Kind::kRead) return;
  const std::lock_guard lock(mutex_);
  record(call, false);
}

void FaultyDisk::record(const DiskCall& call, bool failed) {
  log_.push_back({.kind = call.kind,
                  .path = std::string(call.path),
                  .to = std::string(call.to),
                  .bytes = std::string(call.bytes),
                  .offset = call.offset,
                  .size = call.size,
                  .failed = failed});
}

void FaultyDisk::fail(Chooses chooses, std::uint64_t n, int error) {
  const std::lock_guard lock(mutex_);
  chooses_ = std::move(chooses);
  fail_at_ = n;
  chosen_ = 0;
  always_ = false;
  error_ = error;
  failed_ = false;
}

void FaultyDisk::fail_all(Chooses chooses, int error) {
  fail(std::move(chooses), 0, error);
  const std::lock_guard lock(mutex_);
  always_ = true;
}

void FaultyDisk::heal() {
  const std::lock_guard lock(mutex_);
  chooses_ = nullptr;
}

bool FaultyDisk::has_failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

std::size_t FaultyDisk::failed_at() const {
  const std::lock_guard lock(mutex_);
  return failed_at_;
}

std::uint64_t FaultyDisk::chosen() const {
  const std::lock_guard lock(mutex_);
  return chosen_;
}

std::size_t FaultyDisk::moment() const {
  const std::lock_guard lock(mutex_);
  return log_.size();
}

/// Applies one change to the current names and files (`now`) and to those that would survive (`safe`).
void FaultyDisk::replay(const Change& change, Names& now, Names& safe) {
  if (change.kind == Kind::kSyncDirectory) {
    std::erase_if(safe, [&](const auto& name) { return parent_of(name.first) == change.path; });
    for (const auto& [path, file] : now) {
      if (parent_of(path) == change.path) safe[path] = file;
    }
    return;
  }
  if (change.kind == Kind::kCreate) {
    now[change.path] = std::make_shared<File>();
    return;
  }
  const auto found = now.find(change.path);
  if (found == now.end()) return;  // created before the log began; no test relies on it
  const std::shared_ptr<File> file = found->second;
  switch (change.kind) {
    case Kind::kWrite:
    case Kind::kTruncate:
    case Kind::kReserve:
      file->unsynced.push_back(&change);
      break;
    case Kind::kSync: {
      if (!change.failed) file->safe = contents(*file, Unsynced::kKept, nullptr);
      file->unsynced.clear();
      if (!change.failed && change.path.ends_with("-wal")) safe[change.path] = file;
      break;
    }
    case Kind::kRename:
      now.erase(found);
      now[change.to] = file;
      break;
    case Kind::kRemove:
      now.erase(found);
      break;
    case Kind::kCreate:
    case Kind::kRead:
    case Kind::kSyncDirectory:
      break;
  }
}

std::string FaultyDisk::contents(const File& file, Unsynced unsynced, Rng* rng) {
  std::string content = file.safe;
  if (unsynced == Unsynced::kLost) return content;
  const auto arrives = [&] { return unsynced == Unsynced::kKept || rng->next() % 2 == 0; };
  for (const Change* change : file.unsynced) {
    if (change->kind == Kind::kTruncate && arrives()) content.resize(change->size, '\0');
    if (change->kind == Kind::kReserve && arrives()) content.resize(std::max(content.size(), change->size), '\0');
    if (change->kind != Kind::kWrite) continue;
    for (std::size_t at = 0; at < change->bytes.size();) {
      const std::size_t size = std::min(change->bytes.size() - at, kSector - (change->offset + at) % kSector);
      if (arrives()) put_bytes(content, change->offset + at, std::string_view(change->bytes).substr(at, size));
      at += size;
    }
  }
  return content;
}

void FaultyDisk::leave(std::size_t moment, Unsynced unsynced, Rng& rng, const std::string& from,
                       const std::string& to) const {
  const std::lock_guard lock(mutex_);
  CHECK(moment <= log_.size());
  Names now;
  Names safe;
  for (std::size_t i = 0; i < moment; ++i) replay(log_[i], now, safe);
  const bool names_arrived = unsynced == Unsynced::kKept || (unsynced == Unsynced::kSome && rng.next() % 2 == 0);
  std::filesystem::remove_all(to);
  std::filesystem::create_directories(to);
  for (const auto& [path, file] : names_arrived ? now : safe) {
    if (!path.starts_with(from + "/")) continue;
    const std::string target = to + path.substr(from.size());
    std::filesystem::create_directories(parent_of(target));
    std::ofstream(target, std::ios::binary) << contents(*file, unsynced, &rng);
  }
}

}  // namespace muster::store
