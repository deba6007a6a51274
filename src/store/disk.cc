#include "store/disk.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/strings.h"

namespace muster::store {
namespace {

using Kind = DiskCall::Kind;

Status failed(std::string_view name, std::string_view path, int error) {
  return errno_error(fmt::format("{} {}", name, quote(std::string(path))), error);
}

}  // namespace

Disk& Disk::real() {
  static Disk disk;
  return disk;
}

Result<DiskFile> DiskFile::open(Disk& disk, const std::string& path) {
  DiskFile file;
  file.disk_ = &disk;
  file.path_ = path;
  file.fd_ = Fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.fd_) return file;
  if (errno != ENOENT) return errno_error(fmt::format("open {}", quote(path)), errno);
  const DiskCall call{.kind = Kind::kCreate, .path = path};
  int error = disk.before(call);
  if (error == 0) {
    file.fd_ = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    error = file.fd_ ? 0 : errno;
  }
  TRY(file.done(call, "open", error));
  return file;
}

Result<DiskFile> DiskFile::open_existing(Disk& disk, const std::string& path) {
  DiskFile file;
  file.disk_ = &disk;
  file.path_ = path;
  file.fd_ = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.fd_) return errno_error(fmt::format("open {}", quote(path)), errno);
  return file;
}

Status DiskFile::done(const DiskCall& call, std::string_view name, int error) {
  if (error != 0) return failed(name, call.path, error);
  disk_->after(call);
  return ok();
}

Result<std::size_t> DiskFile::read(char* to, std::size_t size, std::uint64_t offset) const {
  if (const int error = disk_->before({.kind = Kind::kRead, .path = path_, .offset = offset, .size = size})) {
    return errno_error(fmt::format("read {}", quote(path_)), error);
  }
  std::size_t got = 0;
  while (got < size) {
    const auto n = ::pread(fd_.get(), to + got, size - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error(fmt::format("read {}", quote(path_)), errno);
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

Status DiskFile::write(std::string_view bytes, std::uint64_t offset) {
  const DiskCall call{.kind = Kind::kWrite, .path = path_, .offset = offset, .bytes = bytes};
  int error = disk_->before(call);
  for (std::size_t put = 0; error == 0 && put < bytes.size();) {
    const auto n = ::pwrite(fd_.get(), bytes.data() + put, bytes.size() - put, static_cast<off_t>(offset + put));
    if (n > 0) {
      put += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      error = n == 0 ? EIO : errno;
    }
  }
  return done(call, "write", error);
}

Status DiskFile::truncate(std::uint64_t size) {
  const DiskCall call{.kind = Kind::kTruncate, .path = path_, .size = size};
  int error = disk_->before(call);
  if (error == 0 && ::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) error = errno;
  return done(call, "truncate", error);
}

Status DiskFile::reserve(std::uint64_t size) {
  const DiskCall call{.kind = Kind::kReserve, .path = path_, .size = size};
  int error = disk_->before(call);
  if (error == 0) error = ::posix_fallocate(fd_.get(), 0, static_cast<off_t>(size));
  return done(call, "reserve", error);
}

Status DiskFile::sync() {
  const DiskCall call{.kind = Kind::kSync, .path = path_};
  int error = disk_->before(call);
  if (error == 0 && ::fdatasync(fd_.get()) != 0) error = errno;
  return done(call, "fdatasync", error);
}

Status rename_file(Disk& disk, const std::string& from, const std::string& to) {
  const DiskCall call{.kind = Kind::kRename, .path = from, .to = to};
  int error = disk.before(call);
  if (error == 0 && ::rename(from.c_str(), to.c_str()) != 0) error = errno;
  if (error != 0) return failed("rename", from, error);
  disk.after(call);
  return ok();
}

Status remove_file(Disk& disk, const std::string& path) {
  const DiskCall call{.kind = Kind::kRemove, .path = path};
  int error = disk.before(call);
  if (error == 0 && ::unlink(path.c_str()) != 0) error = errno;
  if (error == ENOENT) return ok();
  if (error != 0) return failed("remove", path, error);
  disk.after(call);
  return ok();
}

Status sync_directory(Disk& disk, const std::string& directory) {
  const DiskCall call{.kind = Kind::kSyncDirectory, .path = directory};
  int error = disk.before(call);
  if (error == 0) {
    const Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) error = errno;
  }
  if (error != 0) return failed("fsync", directory, error);
  disk.after(call);
  return ok();
}

}  // namespace muster::store
