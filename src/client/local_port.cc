#include "client/local_port.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>
#include <utility>

namespace muster::client {
namespace {

// Beyond this, a slow reader makes the sender wait.
constexpr std::size_t kMostUnsent = std::size_t{256} << 10;
constexpr int kBacklog = 1024;
// A listener without descriptors would be ready again at once.
constexpr Duration kAfterFailure = std::chrono::milliseconds(100);

}  // namespace

/// One connection on its way through: it ends when the pod's side does, or when this machine's breaks.
struct LocalPort::Passing {
  std::uint64_t id = 0;
  std::optional<net::TcpStream> local;
  std::unique_ptr<node::PortSession> pod;
};

Result<std::unique_ptr<LocalPort>> LocalPort::listen(Loop& loop, const std::string& address, int port, Connect connect,
                                                     Events events) {
  const std::string where = fmt::format("{}:{}", address, port);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, address.c_str(), &at.sin_addr) != 1) {
    return Error{.reason = Reason::kBadRequest,
                 .message = fmt::format("listen: {} is not an address of IPv4; use one such as 127.0.0.1", address)};
  }
  Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  if (!listener || ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 ||
      ::listen(listener.get(), kBacklog) != 0) {
    return errno_error("listen on " + where, errno);
  }
  socklen_t size = sizeof at;
  if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0) return errno_error(where, errno);
  return std::unique_ptr<LocalPort>(
      new LocalPort(loop, std::move(listener), ntohs(at.sin_port), std::move(connect), std::move(events)));
}

LocalPort::LocalPort(Loop& loop, Fd listener, int port, Connect connect, Events events)
    : loop_(loop),
      listener_(std::move(listener)),
      port_(port),
      connect_(std::move(connect)),
      events_(std::move(events)) {
  watch();
}

LocalPort::~LocalPort() {
  for (const Loop::Id id : {watch_id_, pause_id_}) {
    if (id != 0) loop_.cancel(id);
  }
}

void LocalPort::watch() {
  if (watch_id_ != 0 || pause_id_ != 0 || passing_.size() >= kMostConnections) return;
  watch_id_ = loop_.on_readable(listener_.get(), [this] { accept(); });
}

void LocalPort::accept() {
  Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  const bool is_over = !socket && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED;
  if (socket) begin(std::move(socket));
  if (!is_over && passing_.size() < kMostConnections) return;
  if (watch_id_ != 0) loop_.cancel(std::exchange(watch_id_, 0));
  if (!is_over) return;
  pause_id_ = loop_.after(kAfterFailure, [this] {
    pause_id_ = 0;
    watch();
  });
}

void LocalPort::begin(Fd socket) {
  const std::uint64_t id = ++last_;
  if (events_.on_connection) events_.on_connection();
  Passing& passing = *passing_.emplace(id, std::make_unique<Passing>()).first->second;
  passing.id = id;
  // A session calls nothing once it is destroyed, and the map holds it.
  auto session = connect_({.on_bytes = [this, &passing](std::string_view bytes) { to_local(passing, bytes); },
                           .on_finish = [&passing] { passing.local->finish(); },
                           .on_end = [this, id](const Status& how) { on_pod_end(id, how); }});
  if (!session) {
    if (events_.on_failure) events_.on_failure(session.error());
    return close(id);
  }
  passing.pod = *std::move(session);
  passing.local.emplace(
      loop_, std::move(socket),
      net::TcpStream::Sink{.on_bytes = [this, &passing](std::string_view bytes) { to_pod(passing, bytes); },
                           .on_finish = [&passing] { passing.pod->finish(); },
                           .on_end =
                               [this, id](const Status& how) {
                                 // Both sides have finished: the pod may still be reading.
                                 if (!how) close(id);
                               }});
}

void LocalPort::to_pod(Passing& passing, std::string_view bytes) {
  passing.pod->write(bytes);
  if (passing.pod->unsent() <= kMostUnsent) return;
  passing.local->pause();
  passing.pod->when_room(kMostUnsent / 2, [&passing] { passing.local->resume(); });
}

void LocalPort::to_local(Passing& passing, std::string_view bytes) {
  passing.local->write(bytes);
  if (passing.local->unsent() <= kMostUnsent) return;
  passing.pod->pause();
  passing.local->when_room(kMostUnsent / 2, [&passing] { passing.pod->resume(); });
}

/// What the program has sent is delivered before the connection is closed.
void LocalPort::on_pod_end(std::uint64_t id, const Status& how) {
  const auto found = passing_.find(id);
  if (found == passing_.end()) return;
  if (!how && events_.on_failure) events_.on_failure(how.error());
  Passing& passing = *found->second;
  passing.local->pause();
  passing.local->finish();
  passing.local->when_room(0, lifetime_.guard([this, id] { close(id); }));
}

void LocalPort::close(std::uint64_t id) {
  passing_.erase(id);
  watch();
}

}  // namespace muster::client
