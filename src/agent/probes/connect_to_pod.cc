#include "agent/probes/connect_to_pod.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/strings.h"

namespace muster::agent {
namespace {

Error not_connected(const std::string& address, int port, const std::string& why) {
  return Error{.reason = Reason::kServiceUnavailable, .message = fmt::format("dial tcp {}:{}: {}", address, port, why)};
}

std::string why_of(int error) {
  return "connect: " + to_lower(std::strerror(error));
}

/// A connection that is being opened. It keeps itself until it has called back.
class Connecting : public std::enable_shared_from_this<Connecting> {
 public:
  Connecting(Loop& loop, std::string address, int port, UniqueFunction<void(Result<Fd>)> done)
      : loop_(loop), address_(std::move(address)), port_(port), done_(std::move(done)) {}

  void start(const OpenPodSocket& open, const std::string& uid, Duration timeout) {
    timer_id_ = loop_.after(timeout, [self = shared_from_this()] { self->fail("i/o timeout"); });
    open(uid, [self = shared_from_this()](Result<Fd> opened) {
      if (!self->done_) return;
      if (!opened) return self->finish(std::move(opened).error());
      const int error = self->begin(*std::move(opened));
      if (error != 0) self->fail(why_of(error));
    });
  }

 private:
  int begin(Fd socket) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port_));
    if (::inet_pton(AF_INET, address_.c_str(), &to.sin_addr) != 1) return EADDRNOTAVAIL;
    socket_ = std::move(socket);
    writable_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
    if (!writable_ || ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK) != 0) return errno;
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 && errno != EINPROGRESS)
      return errno;
    epoll_event event{};
    event.events = EPOLLOUT;
    if (::epoll_ctl(writable_.get(), EPOLL_CTL_ADD, socket_.get(), &event) != 0) return errno;
    watch_id_ = loop_.on_readable(writable_.get(), [self = shared_from_this()] { self->look(); });
    return 0;
  }

  void look() {
    epoll_event event{};
    if (::epoll_wait(writable_.get(), &event, 1, 0) != 1) return;
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return fail(why_of(error));
    finish(std::move(socket_));
  }

  void fail(const std::string& why) { finish(not_connected(address_, port_, why)); }

  void finish(Result<Fd> how) {
    const auto self = shared_from_this();
    for (const Loop::Id id : {timer_id_, watch_id_}) {
      if (id != 0) loop_.cancel(id);
    }
    if (auto done = std::exchange(done_, nullptr)) done(std::move(how));
  }

  Loop& loop_;
  std::string address_;
  int port_;
  UniqueFunction<void(Result<Fd>)> done_;
  Fd socket_;
  Fd writable_;  // an epoll instance that is readable when the socket is writable: the loop waits for readability only
  Loop::Id timer_id_ = 0;
  Loop::Id watch_id_ = 0;
};

}  // namespace

void connect_to_pod(Loop& loop, const OpenPodSocket& open, const std::string& uid, const std::string& address, int port,
                    Duration timeout, UniqueFunction<void(Result<Fd>)> done) {
  std::make_shared<Connecting>(loop, address, port, std::move(done))->start(open, uid, timeout);
}

OpenPodSocket host_sockets(Loop& loop) {
  return [&loop](const std::string&, UniqueFunction<void(Result<Fd>)> done) {
    loop.post([done = std::move(done)]() mutable {
      Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      done(socket ? Result<Fd>(std::move(socket)) : Result<Fd>(errno_error("socket", errno)));
    });
  };
}

}  // namespace muster::agent
