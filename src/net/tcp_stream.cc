#include "net/tcp_stream.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "base/error.h"

namespace muster::net {
namespace {

constexpr std::size_t kReadAtOnce = 128 * 1024;
// What was sent is cut off in such steps, because each cut moves what is left.
constexpr std::size_t kCutBytes = 256 * 1024;

}  // namespace

TcpStream::TcpStream(Loop& loop, Fd socket, Sink sink)
    : loop_(loop), socket_(std::move(socket)), sink_(std::move(sink)) {
  ::fcntl(socket_.get(), F_SETFL, ::fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
  const int yes = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  resume();
}

TcpStream::~TcpStream() {
  for (const Loop::Id id : {read_id_, write_id_}) {
    if (id != 0) loop_.cancel(id);
  }
}

void TcpStream::pause() {
  is_paused_ = true;
  if (read_id_ != 0) loop_.cancel(std::exchange(read_id_, 0));
}

void TcpStream::resume() {
  is_paused_ = false;
  if (read_id_ != 0 || input_ended_ || ended_) return;
  read_id_ = loop_.on_readable(socket_.get(), [this] { read(); });
}

void TcpStream::read() {
  static thread_local char buffer[kReadAtOnce];
  const ssize_t n = ::recv(socket_.get(), buffer, sizeof buffer, 0);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n < 0) return end(errno_error("read", errno));
  if (n > 0) return sink_.on_bytes(std::string_view(buffer, static_cast<std::size_t>(n)));
  if (read_id_ != 0) loop_.cancel(std::exchange(read_id_, 0));
  input_ended_ = true;
  end_when_both_have();
  std::exchange(sink_.on_finish, nullptr)();
}

void TcpStream::write(std::string_view bytes) {
  if (is_finishing_ || output_ended_ || ended_) return;
  pending_ += bytes;
  if (write_id_ == 0) flush();
}

void TcpStream::finish() {
  if (std::exchange(is_finishing_, true)) return;
  if (write_id_ == 0) flush();
}

void TcpStream::when_room(std::size_t bytes, Task task) {
  room_ = bytes;
  when_room_ = std::move(task);
  notify();
}

void TcpStream::notify() {
  if (!when_room_ || unsent() > room_) return;
  loop_.post(lifetime_.guard(std::exchange(when_room_, {})));
}

void TcpStream::flush() {
  if (output_ended_ || ended_) return;
  while (unsent() > 0) {
    const ssize_t n = ::send(socket_.get(), pending_.data() + sent_, unsent(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) return break_output();  // the peer may still have sent something
    sent_ += static_cast<std::size_t>(n);
  }
  if (sent_ == pending_.size() || sent_ > kCutBytes) pending_.erase(0, std::exchange(sent_, 0));
  notify();
  if (unsent() > 0) return wait_until_writable();
  if (write_id_ != 0) loop_.cancel(std::exchange(write_id_, 0));
  if (!is_finishing_) return;
  ::shutdown(socket_.get(), SHUT_WR);
  end_output();
}

void TcpStream::wait_until_writable() {
  if (write_id_ != 0) return;
  if (!writable_) {
    writable_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event event{.events = EPOLLOUT, .data = {}};
    if (!writable_ || ::epoll_ctl(writable_.get(), EPOLL_CTL_ADD, socket_.get(), &event) != 0) {
      return end(errno_error("epoll", errno));
    }
  }
  write_id_ = loop_.on_readable(writable_.get(), [this] { flush(); });
}

void TcpStream::end_output() {
  if (write_id_ != 0) loop_.cancel(std::exchange(write_id_, 0));
  pending_.clear();
  sent_ = 0;
  output_ended_ = true;
  notify();
  end_when_both_have();
}

void TcpStream::break_output() {
  output_broke_ = true;
  end_output();
}

void TcpStream::end_when_both_have() {
  if (!input_ended_ || !output_ended_) return;
  end(output_broke_ ? Status(errno_error("write", EPIPE)) : ok());
}

void TcpStream::end(Status how) {
  if (std::exchange(ended_, true)) return;
  for (Loop::Id* id : {&read_id_, &write_id_}) {
    if (*id != 0) loop_.cancel(std::exchange(*id, 0));
  }
  pending_.clear();
  sent_ = 0;
  notify();
  loop_.post(lifetime_.guard(
      [this, how = std::move(how)]() mutable { std::exchange(sink_.on_end, nullptr)(std::move(how)); }));
}

}  // namespace muster::net
