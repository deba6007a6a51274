#include "base/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/fd.h"
#include "base/strings.h"

namespace muster {
namespace {

Status write_all(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("write " + quote(path), errno);
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return ok();
}

Status sync_directory_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path().string();
  const Fd directory(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0 || ::fsync(directory.get()) != 0) return errno_error("sync " + quote(parent), errno);
  return ok();
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return errno_error("open " + quote(path), errno);  // ENOENT is NotFound
  std::string content;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("read " + quote(path), errno);
    if (n == 0) return content;
    content.append(buffer, static_cast<std::size_t>(n));
  }
}

Status write_file_atomically(const std::string& path, std::string_view content, mode_t mode) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  {
    const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
    if (fd.get() < 0) return errno_error("create " + quote(temporary), errno);
    Status written = write_all(fd.get(), content, temporary);
    if (written && ::fsync(fd.get()) != 0) written = errno_error("sync " + quote(temporary), errno);
    if (!written) {
      ::unlink(temporary.c_str());  // the disk may be full
      return written;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) return errno_error("rename to " + quote(path), errno);
  return sync_directory_of(path);
}

Status make_directories(const std::string& path, mode_t mode) {
  std::string so_far;
  for (const std::string& part : split(path, '/')) {
    so_far += so_far.empty() && !part.empty() ? part : "/" + part;
    if (part.empty()) continue;
    if (::mkdir(so_far.c_str(), mode) != 0 && errno != EEXIST) return errno_error("mkdir " + quote(so_far), errno);
  }
  if (!std::filesystem::is_directory(path)) return errno_error("mkdir " + quote(path), ENOTDIR);
  return ok();
}

}  // namespace muster
