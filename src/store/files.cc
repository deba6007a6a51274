#include "store/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/log.h"
#include "base/strings.h"
#include "store/checksum.h"

namespace muster::store {
namespace {

constexpr std::uint64_t kMagic = 0x31766572'74736d6dULL;  // "mmstrev1"

struct Record {
  std::uint64_t magic = kMagic;
  std::uint64_t revision = 0;
  std::uint64_t sum = 0;

  std::uint64_t expected_sum() const { return checksum({reinterpret_cast<const char*>(this), 16}); }
  bool whole() const { return magic == kMagic && sum == expected_sum(); }
};
static_assert(sizeof(Record) == 24);
using Records = std::array<Record, 2>;

Error failed(std::string_view call, const std::string& path) {
  return errno_error(fmt::format("{} {}", call, quote(path)), errno);
}

/// The pid in the lock file, or "unknown" when the holder has not written it yet.
std::string holder_of(int fd) {
  std::array<char, 32> text{};
  const auto size = ::pread(fd, text.data(), text.size() - 1, 0);
  const auto pid = parse_int(trim({text.data(), size > 0 ? static_cast<std::size_t>(size) : 0}));
  return pid ? std::to_string(*pid) : "unknown";
}

Status write_again(Disk& disk, const std::string& path) {
  TRY_ASSIGN(auto file, DiskFile::open(disk, path));
  std::string block(1u << 20, '\0');
  for (std::uint64_t offset = 0;;) {
    TRY_ASSIGN(const std::size_t size, file.read(block.data(), block.size(), offset));
    if (size == 0) return file.sync();
    TRY(file.write(std::string_view(block).substr(0, size), offset));
    offset += size;
  }
}

}  // namespace

std::string parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

Status make_directory(const std::string& directory) {
  std::error_code code;
  const bool made = std::filesystem::create_directories(directory, code);
  if (code) return errno_error(fmt::format("mkdir {}", quote(directory)), code.value());
  if (!std::filesystem::is_directory(directory, code))
    return errno_error(fmt::format("open {}", quote(directory)), ENOTDIR);
  if (made && ::chmod(directory.c_str(), 0700) != 0) return failed("chmod", directory);
  return ok();
}

void note_failure(Disk& disk, const std::string& directory) {
  if (const auto noted = DiskFile::open(disk, directory + "/failed"); !noted) {
    LOG_ERROR("store: cannot note the failure", {"error", noted.error().message});
  }
}

Status write_again_after_failure(Disk& disk, const std::string& directory) {
  const std::string note = directory + "/failed";
  if (!std::filesystem::exists(note)) return ok();
  for (const char* name : {"muster.db", "muster.db-journal", "muster.db-wal", "revision"}) {
    const std::string path = directory + "/" + name;
    if (std::filesystem::exists(path)) TRY(write_again(disk, path));
  }
  TRY(sync_directory(disk, directory));
  return remove_file(disk, note);
}

Result<DirectoryLock> DirectoryLock::take(const std::string& directory) {
  const std::string path = directory + "/lock";
  DirectoryLock lock;
  lock.fd_ = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.fd_.get() < 0) return failed("open", path);
  if (::flock(lock.fd_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failed("flock", path);
    Error error;
    error.reason = Reason::kConflict;
    error.message =
        fmt::format("data directory {}: in use by another engine, pid {}; stop it or choose another directory",
                    quote(directory), holder_of(lock.fd_.get()));
    return error;
  }
  // The pid is only for people and for the message above; what counts is the lock.
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock.fd_.get(), 0) != 0) return failed("ftruncate", path);
  if (::pwrite(lock.fd_.get(), pid.data(), pid.size(), 0) < 0 && errno != ENOSPC) return failed("write", path);
  return lock;
}

Result<HighWaterMark> HighWaterMark::open(Disk& disk, const std::string& directory, Found& found) {
  HighWaterMark mark;
  TRY_ASSIGN(mark.file_, DiskFile::open(disk, directory + "/revision"));
  Records records;
  TRY_ASSIGN(const std::size_t size, mark.file_.read(reinterpret_cast<char*>(records.data()), sizeof records, 0));
  // An empty file counts as missing: the process that created it died before its first write.
  found = Found{.revision = std::nullopt, .existed = size > 0, .damaged = false};
  for (std::size_t i = 0; i < records.size() && size > 0; ++i) {
    const bool whole = size >= (i + 1) * sizeof(Record) && records[i].whole();
    if (whole) found.revision = std::max(found.revision.value_or(0), records[i].revision);
    found.damaged = found.damaged || !whole;
  }
  return mark;
}

Status HighWaterMark::write(Revision revision) {
  Record record;
  record.revision = revision;
  record.sum = record.expected_sum();
  const Records records = {record, record};
  TRY(file_.write({reinterpret_cast<const char*>(records.data()), sizeof records}, 0));
  dirty_ = true;
  return ok();
}

Status HighWaterMark::sync() {
  TRY(file_.sync());
  dirty_ = false;
  return ok();
}

std::optional<std::uint64_t> Ballast::free_bytes() const {
  struct statvfs space {};
  if (::statvfs(parent_of(path_).c_str(), &space) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
}

bool Ballast::is_needed() const {
  return size_ != 0 && free_bytes().value_or(size_) < size_ / 2;
}

bool Ballast::reserve() {
  if (size_ == 0) return true;
  const auto free = free_bytes();
  if (!free) return false;
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && static_cast<std::size_t>(status.st_size) == size_) return *free >= size_;
  if (*free < 2 * static_cast<std::uint64_t>(size_)) return false;
  if (auto file = DiskFile::open(*disk_, path_); file && file->truncate(0) && file->reserve(size_)) return true;
  release();
  return false;
}

void Ballast::release() {
  if (const auto removed = remove_file(*disk_, path_); !removed) {
    LOG_WARN("store: cannot release the ballast", {"error", removed.error().message});
  }
}

void Room::hold() {
  if (size_ == 0) return;
  if (!file_) file_ = Fd(::open(database_.c_str(), O_RDWR | O_CLOEXEC));
  if (!log_) log_ = Fd(::open((database_ + "-wal").c_str(), O_RDWR | O_CLOEXEC));
  struct stat file {};
  const bool known = ::fstat(file_.get(), &file) == 0;
  // A file system that cannot do it, or that has no space, leaves things as they are.
  (void)!::fallocate(log_.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size_));
  if (known) (void)!::fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, file.st_size, static_cast<off_t>(size_ / 2));
}

}  // namespace muster::store
