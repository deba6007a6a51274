#include "net/http_server.h"

#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/log.h"
#include "base/strings.h"
#include "net/server_connection.h"
#include "net/unix_peer.h"

namespace muster::net {
namespace {

constexpr int kBacklog = 1024;
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);
constexpr int kAcceptsPerTurn = 32;
constexpr Duration kStrangerPause = std::chrono::milliseconds(20);

Error port_taken(const std::string& host, int port) {
  return Error{.reason = Reason::kAlreadyExists,
               .message = fmt::format(
                   "listen on {}:{}: the port is in use; find the program that holds it with `ss -ltnp sport = "
                   ":{}`, or choose another with --listen {}:0",
                   host, port, port, host)};
}

/// Moves the socket out that listens on exactly this address; none if there is none.
Fd take_held(std::vector<Fd>& held, const addrinfo& wanted) {
  for (auto fd = held.begin(); fd != held.end(); ++fd) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getsockname(fd->get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) continue;
    if (length != wanted.ai_addrlen || std::memcmp(&address, wanted.ai_addr, length) != 0) continue;
    Fd found = std::move(*fd);
    held.erase(fd);
    return found;
  }
  return {};
}

Result<Fd> bind_tcp(const std::string& host, int port, std::vector<Fd>& held) {
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
  if (Fd taken = take_held(held, *found)) return taken;
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

struct Bound {
  std::vector<Fd> sockets;
  int port = 0;
};

Result<Bound> bind_one(const std::string& host, int port, std::vector<Fd>& held) {
  TRY_ASSIGN(Fd fd, bind_tcp(host, port, held));
  TRY_ASSIGN(const ListenAddress bound, listen_address(fd.get()));
  Bound out{.port = bound.port};
  out.sockets.push_back(std::move(fd));
  return out;
}

bool is_loopback_name(const std::string& host) {
  return host == "127.0.0.1" || host == "::1" || host == "localhost";
}

/// Binds both addresses on one port, or only the requested one where the machine lacks the other. A port that is free
/// on one may be taken on the other; if any port will do, another is tried.
Result<Bound> bind_loopback(const std::string& host, int port, std::vector<Fd>& held) {
  constexpr int kAttempts = 16;
  const std::string first = host == "localhost" ? "127.0.0.1" : host;
  for (int attempt = 1;; ++attempt) {
    TRY_ASSIGN(Bound bound, bind_one(first, port, held));
    auto other = bind_tcp(first == "::1" ? "127.0.0.1" : "::1", bound.port, held);
    if (other) {
      bound.sockets.push_back(*std::move(other));
      return bound;
    }
    if (other.error().reason != Reason::kAlreadyExists) return bound;
    if (port != 0 || attempt == kAttempts) return other.error();
  }
}

/// Removes a socket file that no process listens on any more; refuses to remove anything else.
Status clear_stale_socket(const std::string& path, const Address& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return ok();
  if (!S_ISSOCK(status.st_mode)) {
    return Error{.reason = Reason::kAlreadyExists,
                 .message = fmt::format("listen on {}: the file exists and is not a socket; remove it", quote(path))};
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

}  // namespace

Result<ListenAddress> listen_address(int socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::getsockname(socket, generic, &length) != 0) return errno_error("getsockname", errno);
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  const int code =
      ::getnameinfo(generic, length, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
  if (code != 0 || (address.ss_family != AF_INET && address.ss_family != AF_INET6)) {
    return Error{.reason = Reason::kBadRequest, .message = "not a TCP socket"};
  }
  return ListenAddress{.host = host, .port = std::atoi(port)};
}

struct HttpServer::State : std::enable_shared_from_this<State> {
  State(EventLoop& loop, Handler handler, ServerLimits limits, KnowsSender knows, StreamsBody streams)
      : shared(std::make_shared<ServerShared>(loop, std::move(handler), limits, std::move(knows), std::move(streams))) {
  }

  struct Listener {
    Fd fd;
    ConnectionPool& pool;
    Loop::Id watch = 0;
    std::string socket_path = {};
    bool is_of_pods = false;  // peers in another network, where loopback does not mean this machine
    bool is_plain = false;    // for peers that are not on loopback as well
  };
  using Id = HttpServer::ListenerId;

  Id start(Listener listener);
  void watch(Id id);
  void accept(Id id);
  void pause(Id id, Duration time);
  void admit(const Listener& listener, int fd, const Address& address);
  void sweep();
  void stop();

  std::shared_ptr<ServerShared> shared;
  std::optional<Error> tls_error;
  std::map<Id, Listener> listeners;
  Id last_listener = 0;
  Loop::Id sweep_timer = 0;
  bool stopped = false;
};

HttpServer::ListenerId HttpServer::State::start(Listener listener) {
  const Id id = ++last_listener;
  listeners.emplace(id, std::move(listener));
  watch(id);
  return id;
}

void HttpServer::State::watch(Id id) {
  Listener& listener = listeners.at(id);
  listener.watch = shared->loop.on_readable(listener.fd.get(), [this, id] { accept(id); });
}

void HttpServer::State::accept(Id id) {
  Listener& listener = listeners.at(id);
  bool evicted = false;
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    if (!listener.pool.has_room(shared->loop.mono())) return pause(id, kStrangerPause);
    Address peer;
    peer.length = sizeof peer.storage;
    const int fd = ::accept4(listener.fd.get(), reinterpret_cast<sockaddr*>(&peer.storage), &peer.length,
                             SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      admit(listener, fd, peer);
      if (evicted) return;  // if no peer waits, another accept() would still fail for lack of a descriptor
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      const Error why = errno_error("accept", errno);
      if (!evicted && (evicted = listener.pool.evict())) continue;
      LOG_WARN("cannot accept connections, waiting", {"error", why.message});
      return pause(id, kAcceptPause);
    } else if (errno == EAGAIN) {
      return;
    }
    // Any other error concerns only that one connection: the peer left before it was accepted.
  }
}

/// The listening socket stays readable while the connection is not accepted, so retrying at once would spin.
void HttpServer::State::pause(Id id, Duration time) {
  Listener& listener = listeners.at(id);
  shared->loop.cancel(listener.watch);
  listener.watch = shared->loop.after(time, [this, id] { watch(id); });
}

void HttpServer::State::admit(const Listener& listener, int fd, const Address& address) {
  ConnectionPool& pool = listener.pool;
  const int family = address.storage.ss_family;
  Peer peer;
  peer.loopback = is_loopback(address) && !listener.is_of_pods;
  if (family == AF_UNIX) {
    const UnixPeer who = unix_peer(fd);
    peer.unix_socket_same_user = who == UnixPeer::kSameUser;
    peer.unix_socket_other_namespace = who == UnixPeer::kOtherNamespace;
  }
  auto socket = std::make_unique<Socket>(shared->loop);
  if (const auto adopted = socket->adopt(fd, family); !adopted.has_value()) {
    LOG_WARN("connection dropped", {"error", adopted.error().message});
    return;
  }
  const bool may_be_plain = peer.loopback || family == AF_UNIX || listener.is_plain;
  const auto plain = may_be_plain ? Connection::Plain::kAllowed : Connection::Plain::kRefused;
  auto connection = std::make_shared<Connection>(shared, pool, std::move(socket), peer, plain);
  pool.add(connection, shared->loop.mono());
  connection->start();
  if (sweep_timer == 0) sweep();
}

/// All connections share one timer: requests come and go far more often than deadlines pass.
void HttpServer::State::sweep() {
  const MonoTime now = shared->loop.mono();
  for (const ConnectionPool* pool : {&shared->tcp, &shared->local}) {
    for (const auto& connection : pool->all()) connection->check_deadline(now);
  }
  sweep_timer = 0;
  if (stopped || shared->connections() == 0) return;
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
  for (const auto& [id, listener] : listeners) {
    shared->loop.cancel(listener.watch);
    if (!listener.socket_path.empty()) ::unlink(listener.socket_path.c_str());
  }
  for (const ConnectionPool* pool : {&shared->tcp, &shared->local}) {
    for (const auto& connection : pool->all()) connection->close();
  }
}

HttpServer::HttpServer(EventLoop& loop, ServerTls tls, Handler handler, ServerLimits limits, KnowsSender knows,
                       StreamsBody streams)
    : state_(std::make_shared<State>(loop, std::move(handler), limits, std::move(knows), std::move(streams))) {
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
  std::vector<Fd> none;
  return listen(host, port, none);
}

Result<int> HttpServer::listen(const std::string& host, int port, std::vector<Fd>& held) {
  if (state_->tls_error) return *state_->tls_error;
  TRY_ASSIGN(Bound bound, is_loopback_name(host) ? bind_loopback(host, port, held) : bind_one(host, port, held));
  for (Fd& fd : bound.sockets) state_->start(State::Listener{.fd = std::move(fd), .pool = state_->shared->tcp});
  return bound.port;
}

Result<int> HttpServer::listen_plain(const std::string& host, int port) {
  std::vector<Fd> none;
  // A socket on :: takes IPv4 as well; a machine without IPv6 has no such address.
  auto bound = bind_one(host.empty() ? "::" : host, port, none);
  if (!bound && host.empty() && bound.error().reason != Reason::kAlreadyExists) bound = bind_one("0.0.0.0", port, none);
  if (!bound) return std::move(bound).error();
  for (Fd& fd : bound->sockets) {
    state_->start(State::Listener{.fd = std::move(fd), .pool = state_->shared->tcp, .is_plain = true});
  }
  return bound->port;
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
  // No peer can connect between bind and listen, so the socket is never exposed with a wider mode.
  if (::chmod(path.c_str(), 0600) != 0 || ::listen(fd.get(), kBacklog) != 0) return errno_error(where, errno);
  state_->start(State::Listener{.fd = std::move(fd), .pool = state_->shared->local, .socket_path = path});
  return ok();
}

HttpServer::ListenerId HttpServer::listen_for_pods(Fd socket) {
  return state_->start(State::Listener{.fd = std::move(socket), .pool = state_->shared->tcp, .is_of_pods = true});
}

void HttpServer::stop_listening(ListenerId id) {
  const auto found = state_->listeners.find(id);
  if (found == state_->listeners.end()) return;
  state_->shared->loop.cancel(found->second.watch);
  state_->listeners.erase(found);
}

std::vector<int> HttpServer::tcp_sockets() const {
  std::vector<int> sockets;
  for (const auto& [id, listener] : state_->listeners) {
    if (listener.socket_path.empty() && !listener.is_of_pods) sockets.push_back(listener.fd.get());
  }
  return sockets;
}

std::size_t HttpServer::connections() const {
  return state_->shared->connections();
}

}  // namespace muster::net
