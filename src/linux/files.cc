#include "linux/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/files.h"
#include "base/strings.h"

namespace muster::linux_os {

bool is_locked(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return false;
  // Only a brief attempt to lock sees holders in other namespaces; closing the file releases the lock.
  return ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

Status make_directory_exclusively(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0) return ok();
  Error error = errno_error(fmt::format("mkdir {}", quote(path)), errno);
  if (errno == EEXIST) error.reason = Reason::kAlreadyExists;
  return error;
}

namespace {

Status write_all(const Fd& fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd.get(), content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error(fmt::format("write {}", quote(path)), errno);
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return ok();
}

Result<Fd> open_for_writing(const std::string& path, int flags, mode_t mode) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode));
  if (!fd) return errno_error(fmt::format("open {}", quote(path)), errno);
  return fd;
}

}  // namespace

Status overwrite_file(const std::string& path, std::string_view content, mode_t mode) {
  TRY_ASSIGN(const Fd fd, open_for_writing(path, 0, mode));
  // The new text is written over the old one in one write, then the file is truncated. A reader sees the old text, the
  // new one, or for an instant the new one with the end of the old, but never an empty file.
  TRY(write_all(fd, content, path));
  if (::ftruncate(fd.get(), static_cast<off_t>(content.size())) != 0)
    return errno_error(fmt::format("truncate {}", quote(path)), errno);
  return ok();
}

Status append_line(const std::string& path, std::string_view line, mode_t mode) {
  TRY_ASSIGN(const Fd fd, open_for_writing(path, O_APPEND, mode));
  return write_all(fd, std::string(line) + "\n", path);
}

Status write_program(const std::string& path, std::string_view bytes) {
  if (const auto there = read_file(path); there && *there == bytes && ::access(path.c_str(), X_OK) == 0) return ok();
  return write_file_atomically(path, bytes, 0700);
}

Result<Fd> make_memory_file(const char* name, std::string_view content) {
  Fd fd(::memfd_create(name, MFD_CLOEXEC));
  if (!fd) return errno_error("memfd_create", errno);
  TRY(write_all(fd, content, name));
  return fd;
}

Result<SocketPair> make_socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno_error("socketpair", errno);
  return SocketPair{Fd(ends[0]), Fd(ends[1])};
}

Result<Inotify> Inotify::open() {
  Fd fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!fd) return errno_error("inotify_init", errno);
  return Inotify(std::move(fd));
}

Result<int> Inotify::watch_folder(const std::string& path, Interest interest) {
  const std::uint32_t written = interest == Interest::kReplacedOrWritten ? IN_MODIFY : 0;
  const int watch = ::inotify_add_watch(fd_.get(), path.c_str(), IN_MOVED_TO | IN_ONLYDIR | written);
  if (watch < 0) return errno_error(fmt::format("watch {}", quote(path)), errno);
  return watch;
}

std::vector<Inotify::Event> Inotify::read() {
  std::vector<Event> events;
  alignas(inotify_event) char buffer[16 * 1024];
  for (;;) {
    const ssize_t size = ::read(fd_.get(), buffer, sizeof buffer);
    if (size <= 0) return events;
    for (ssize_t at = 0; at < size;) {
      inotify_event head{};
      std::memcpy(&head, buffer + at, sizeof head);
      const char* name = buffer + at + sizeof head;
      events.push_back({head.wd, head.len > 0 ? std::string(name) : "", (head.mask & IN_Q_OVERFLOW) != 0});
      at += static_cast<ssize_t>(sizeof head) + head.len;
    }
  }
}

}  // namespace muster::linux_os
