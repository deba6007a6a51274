#include "net/http_server.h"

#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/fd.h"
#include "base/log.h"
#include "base/strings.h"
#include "net/server_connection.h"

namespace muster::net {
namespace {

constexpr int kBacklog = 1024;
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);
constexpr int kAcceptsPerTurn = 32;
// Connections over the limit are told so with a 503; from this many on, they are just closed.
constexpr std::size_t kSurplusConnections = 64;

Error port_taken(const std::string& host, int port) {
  return Error{.reason = Reason::kAlreadyExists,
               .message = fmt::format("listen on {}:{}: the port is taken; find who holds it with `ss -ltnp sport = "
                                      ":{}`, or choose another with --listen {}:0",
                                      host, port, port, host)};
}

Result<Fd> bind_tcp(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); code != 0) {
    return Error{.reason = Reason::kBadRequest,
                 .message = fmt::format("listen on {}:{}: {}; give an address of this machine, such as 127.0.0.1", host,
                                        port, to_lower(::gai_strerror(code)))};
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, &::freeaddrinfo);
  Fd fd(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const std::string where = fmt::format("listen on {}:{}", host, port);
  if (fd.get() < 0) return errno_error(where, errno);
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), found->ai_addr, found->ai_addrlen) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    return errno == EADDRINUSE ? port_taken(host, port) : errno_error(where, errno);
  }
  return fd;
}

Result<int> port_of(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return errno_error("getsockname", errno);
  const auto port = address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port
                                                  : reinterpret_cast<const sockaddr_in*>(&address)->sin_port;
  return static_cast<int>(ntohs(port));
}

/// Removes a socket file nobody listens on any more; refuses to remove anything else.
Status clear_stale_socket(const std::string& path, const Address& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return ok();
  if (!S_ISSOCK(status.st_mode)) {
    return Error{.reason = Reason::kAlreadyExists,
                 .message = fmt::format("listen on {}: the file exists and is no socket; remove it", quote(path))};
  }
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (probe.get() < 0) return errno_error("listen on " + quote(path), errno);
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) == 0 ||
      errno == EAGAIN) {
    return Error{.reason = Reason::kAlreadyExists,
                 .message = fmt::format("listen on {}: another server is listening there", quote(path))};
  }
  if (errno != ECONNREFUSED) return errno_error("listen on " + quote(path), errno);
  if (::unlink(path.c_str()) != 0) return errno_error("remove stale socket " + quote(path), errno);
  return ok();
}

bool same_user(int fd) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == ::geteuid();
}

}  // namespace

struct HttpServer::State : std::enable_shared_from_this<State> {
  State(EventLoop& loop, Handler handler, ServerLimits limits)
      : shared(std::make_shared<ServerShared>(loop, std::move(handler), limits)) {}

  struct Listener {
    Fd fd;
    Loop::Id watch = 0;
    std::string socket_path = {};
  };

  void start(Listener listener);
  void watch(std::size_t index);
  void accept(std::size_t index);
  void pause(std::size_t index, int error);
  void admit(int fd, const Address& address);
  void sweep();
  void stop();

  std::shared_ptr<ServerShared> shared;
  std::optional<Error> tls_error;
  std::vector<Listener> listeners;
  Loop::Id sweep_timer = 0;
  bool stopped = false;
};

void HttpServer::State::start(Listener listener) {
  listeners.push_back(std::move(listener));
  watch(listeners.size() - 1);
}

void HttpServer::State::watch(std::size_t index) {
  listeners[index].watch = shared->loop.on_readable(listeners[index].fd.get(), [this, index] { accept(index); });
}

void HttpServer::State::accept(std::size_t index) {
  Listener& listener = listeners[index];
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    Address peer;
    peer.length = sizeof peer.storage;
    const int fd = ::accept4(listener.fd.get(), reinterpret_cast<sockaddr*>(&peer.storage), &peer.length,
                             SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      admit(fd, peer);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      pause(index, errno);
      return;
    } else if (errno == EAGAIN) {
      return;
    }
    // Anything else is about that one connection: it was gone before we took it.
  }
}

/// The listening socket stays readable while there is no descriptor to take the connection with, so looking again at
/// once would spin.
void HttpServer::State::pause(std::size_t index, int error) {
  LOG_WARN("cannot accept connections, waiting", {"error", errno_error("accept", error).message});
  shared->loop.cancel(listeners[index].watch);
  listeners[index].watch = shared->loop.after(kAcceptPause, [this, index] { watch(index); });
}

void HttpServer::State::admit(int fd, const Address& address) {
  const int family = address.storage.ss_family;
  const std::size_t count = shared->connections.size();
  if (count >= shared->limits.connections + kSurplusConnections) {
    ::close(fd);
    return;
  }
  Peer peer;
  peer.loopback = is_loopback(address);
  peer.unix_socket_same_user = family == AF_UNIX && same_user(fd);
  auto socket = std::make_unique<Socket>(shared->loop);
  if (const auto adopted = socket->adopt(fd, family); !adopted.has_value()) {
    LOG_WARN("connection dropped", {"error", adopted.error().message});
    return;
  }
  auto connection = std::make_shared<Connection>(shared, std::move(socket), peer,
                                                 Connection::Admission{.plain = peer.loopback || family == AF_UNIX,
                                                                       .surplus = count >= shared->limits.connections});
  shared->connections.insert(connection);
  connection->start();
  if (sweep_timer == 0) sweep();
}

/// One timer for all connections: requests come and go far more often than deadlines pass.
void HttpServer::State::sweep() {
  const MonoTime now = shared->loop.mono();
  const std::vector<std::shared_ptr<Connection>> all(shared->connections.begin(), shared->connections.end());
  for (const auto& connection : all) connection->check_deadline(now);
  sweep_timer = 0;
  if (stopped || shared->connections.empty()) return;
  const ServerLimits& limits = shared->limits;
  const Duration shortest =
      std::min({limits.head_timeout, limits.idle_timeout, limits.write_timeout, limits.linger_timeout});
  const Duration interval = std::min<Duration>(std::chrono::seconds(1), shortest / 4);
  sweep_timer = shared->loop.after(interval, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->sweep();
  });
}

void HttpServer::State::stop() {
  stopped = true;
  shared->loop.cancel(sweep_timer);
  for (const Listener& listener : listeners) {
    shared->loop.cancel(listener.watch);
    if (!listener.socket_path.empty()) ::unlink(listener.socket_path.c_str());
  }
  const auto connections = shared->connections;
  for (const auto& connection : connections) connection->close();
}

HttpServer::HttpServer(EventLoop& loop, ServerTls tls, Handler handler, ServerLimits limits)
    : state_(std::make_shared<State>(loop, std::move(handler), limits)) {
  if (tls.certificate_pem.empty()) return;
  auto made = make_server_tls(tls.certificate_pem, tls.key_pem);
  if (made.has_value()) {
    state_->shared->tls = *std::move(made);
  } else {
    state_->tls_error = in_context("TLS of the server", std::move(made).error());
  }
}

HttpServer::~HttpServer() {
  state_->stop();
}

Result<int> HttpServer::listen(const std::string& host, int port) {
  if (state_->tls_error) return *state_->tls_error;
  TRY_ASSIGN(Fd fd, bind_tcp(host, port));
  TRY_ASSIGN(const int bound, port_of(fd.get()));
  state_->start(State::Listener{.fd = std::move(fd)});
  return bound;
}

Status HttpServer::listen_unix(const std::string& path) {
  TRY_ASSIGN(const Address address, unix_address(path));
  TRY(clear_stale_socket(path, address));
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const std::string where = "listen on " + quote(path);
  if (fd.get() < 0) return errno_error(where, errno);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) != 0) {
    return errno_error(where, errno);
  }
  // Between bind and listen nobody can connect, so there is no moment with a wider mode.
  if (::chmod(path.c_str(), 0600) != 0 || ::listen(fd.get(), kBacklog) != 0) return errno_error(where, errno);
  state_->start(State::Listener{.fd = std::move(fd), .socket_path = path});
  return ok();
}

std::size_t HttpServer::connections() const {
  return state_->shared->connections.size();
}

}  // namespace muster::net
