#include "agent/shim/fd_streams.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace muster::agent {
namespace {

constexpr std::size_t kReadAtOnce = 64 * 1024;

void make_non_blocking(const Fd& fd) {
  if (fd) ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace

FdReader::FdReader(Loop& loop, Fd fd, UniqueFunction<void(std::string_view)> on_bytes, UniqueFunction<void()> on_end)
    : loop_(loop), fd_(std::move(fd)), on_bytes_(std::move(on_bytes)), on_end_(std::move(on_end)) {
  make_non_blocking(fd_);
  resume();
}

FdReader::~FdReader() {
  pause();
}

void FdReader::pause() {
  if (id_ != 0) loop_.cancel(std::exchange(id_, 0));
}

void FdReader::resume() {
  if (id_ == 0 && fd_) id_ = loop_.on_readable(fd_.get(), [this] { read_once(); });
}

void FdReader::drain() {
  const auto life = lifetime_.watch();
  while (!life.over() && fd_ && read_once()) {
  }
}

bool FdReader::read_once() {
  char buffer[kReadAtOnce];
  const ssize_t n = ::read(fd_.get(), buffer, sizeof buffer);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return errno == EINTR;
  if (n > 0) {
    const auto life = lifetime_.watch();
    on_bytes_(std::string_view(buffer, static_cast<std::size_t>(n)));
    return !life.over();
  }
  // A terminal whose other side is closed ends with EIO.
  pause();
  fd_.reset();
  if (on_end_) std::exchange(on_end_, {})();
  return false;
}

FdWriter::FdWriter(Loop& loop, Fd fd) : loop_(loop), fd_(std::move(fd)) {
  make_non_blocking(fd_);
}

FdWriter::~FdWriter() {
  if (id_ != 0) loop_.cancel(id_);
}

void FdWriter::write(std::string_view bytes) {
  if (!fd_ || is_closing_) return;
  pending_.append(bytes);
  flush();
}

void FdWriter::close() {
  is_closing_ = true;
  flush();
}

bool FdWriter::is_terminal() const {
  return fd_ && ::isatty(fd_.get()) == 1;
}

void FdWriter::when_room(std::size_t bytes, Task task) {
  room_ = bytes;
  when_room_ = std::move(task);
  notify();
}

void FdWriter::notify() {
  if (!when_room_ || pending_.size() > room_) return;
  loop_.post(lifetime_.guard(std::exchange(when_room_, {})));
}

void FdWriter::flush() {
  if (id_ != 0) loop_.cancel(std::exchange(id_, 0));
  while (fd_ && !pending_.empty()) {
    const ssize_t n = ::write(fd_.get(), pending_.data(), pending_.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) {  // nobody reads it any more
      fd_.reset();
      pending_.clear();
      break;
    }
    pending_.erase(0, static_cast<std::size_t>(n));
  }
  notify();
  if (pending_.empty()) {
    if (is_closing_) fd_.reset();
    return;
  }
  if (!writable_) {
    writable_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event event{.events = EPOLLOUT, .data = {}};
    if (!writable_ || ::epoll_ctl(writable_.get(), EPOLL_CTL_ADD, fd_.get(), &event) != 0) {
      fd_.reset();
      pending_.clear();
      return;
    }
  }
  id_ = loop_.on_readable(writable_.get(), [this] { flush(); });
}

}  // namespace muster::agent
