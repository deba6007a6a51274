#include "net/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/write.hpp>
#include <cstring>
#include <optional>

#include "base/strings.h"
#include "net/loop_context.h"
#include "net/tls_stream.h"

namespace muster::net {

namespace asio = boost::asio;
using boost::system::error_code;
using RawSocket = asio::generic::stream_protocol::socket;

struct TlsContext {
  explicit TlsContext(const SSL_METHOD* method) : context(SSL_CTX_new(method)) {}
  asio::ssl::context context;
  bool verify = false;
};

struct Socket::Parts {
  explicit Parts(EventLoop& l) : loop(l), raw(io_of(l)) {}
  EventLoop& loop;
  RawSocket raw;
  std::shared_ptr<TlsContext> context;  // outlives tls
  std::optional<TlsStream> tls;
  std::string out;       // TLS records being sent
  bool sending = false;  // `out` is in use
  Task when_sent;        // a write that waits for `out`
};

namespace {

IoEnd end_of(const error_code& ec) {
  if (!ec) return {};
  if (ec == asio::error::eof) return {IoEnd::Kind::kClosed, "connection closed"};
  return {IoEnd::Kind::kFailed, to_lower(ec.message())};
}

Error tls_error(const std::string& what, const error_code& ec) {
  return Error{.reason = Reason::kBadRequest, .message = what + ": " + to_lower(ec.message())};
}

std::optional<asio::ip::address> ip_literal(const std::string& text) {
  error_code ec;
  auto address = asio::ip::make_address(text, ec);
  if (ec) return std::nullopt;
  return address;
}

Address address_of(const asio::ip::tcp::endpoint& endpoint) {
  Address out;
  std::memcpy(&out.storage, endpoint.data(), endpoint.size());
  out.length = static_cast<socklen_t>(endpoint.size());
  return out;
}

/// Detects half-open connections within about two minutes, also while nothing is being sent.
void tune_tcp(int fd) {
  const int on = 1;
  const int idle_s = 60;
  const int interval_s = 15;
  const int probes = 4;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

int choose_http1(SSL*, const unsigned char** out, unsigned char* out_length, const unsigned char* in,
                 unsigned int in_length, void*) {
  static constexpr unsigned char kHttp1[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_length, kHttp1, sizeof kHttp1 - 1, in, in_length) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

void use_modern_tls(asio::ssl::context& context) {
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.native_handle(), SSL_MODE_RELEASE_BUFFERS);  // saves 34 KiB per idle connection
  // Go's order, and so that of every Kubernetes client: AES-128 is secure and faster.
  SSL_CTX_set_ciphersuites(context.native_handle(),
                           "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  SSL_CTX_set_options(context.native_handle(), SSL_OP_CIPHER_SERVER_PREFERENCE);
}

Status load_identity(asio::ssl::context& context, const std::string& certificate_pem, const std::string& key_pem) {
  error_code ec;
  context.use_certificate_chain(asio::buffer(certificate_pem), ec);
  if (ec) return tls_error("certificate", ec);
  context.use_private_key(asio::buffer(key_pem), asio::ssl::context::pem, ec);
  if (ec) return tls_error("private key of the certificate", ec);
  return ok();
}

}  // namespace

Result<std::shared_ptr<TlsContext>> make_server_tls(const std::string& certificate_pem, const std::string& key_pem) {
  auto tls = std::make_shared<TlsContext>(TLS_server_method());
  use_modern_tls(tls->context);
  // In TLS 1.2 too, authenticated encryption alone.
  SSL_CTX_set_cipher_list(tls->context.native_handle(), "ECDHE+AESGCM:ECDHE+CHACHA20");
  TRY(load_identity(tls->context, certificate_pem, key_pem));
  SSL_CTX_set_alpn_select_cb(tls->context.native_handle(), choose_http1, nullptr);
  return tls;
}

Result<std::shared_ptr<TlsContext>> make_client_tls(const ClientTls& wanted) {
  auto tls = std::make_shared<TlsContext>(TLS_client_method());
  use_modern_tls(tls->context);
  error_code ec;
  if (wanted.ca_pem.empty()) {
    tls->context.set_default_verify_paths(ec);
    if (ec) return tls_error("the system's certificate authorities", ec);
  } else {
    tls->context.add_certificate_authority(asio::buffer(wanted.ca_pem), ec);
    if (ec) return tls_error("certificate authority", ec);
  }
  if (!wanted.certificate_pem.empty()) TRY(load_identity(tls->context, wanted.certificate_pem, wanted.key_pem));
  tls->verify = !wanted.skip_verify;
  return tls;
}

Result<Address> unix_address(const std::string& path) {
  Address out;
  auto* address = reinterpret_cast<sockaddr_un*>(&out.storage);
  if (path.empty() || path.size() >= sizeof address->sun_path) {
    return Error{.reason = Reason::kBadRequest,
                 .message = "socket path " + quote(path) + ": must have 1 to " +
                            std::to_string(sizeof address->sun_path - 1) + " bytes, got " +
                            std::to_string(path.size()) + "; choose a shorter data directory"};
  }
  address->sun_family = AF_UNIX;
  std::memcpy(address->sun_path, path.c_str(), path.size() + 1);
  out.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return out;
}

void resolve(EventLoop& loop, const std::string& host, int port,
             UniqueFunction<void(Result<std::vector<Address>>)> done) {
  if (const auto ip = ip_literal(host)) {
    const asio::ip::tcp::endpoint endpoint(*ip, static_cast<unsigned short>(port));
    loop.post([found = address_of(endpoint), d = std::move(done)]() mutable { d(std::vector<Address>{found}); });
    return;
  }
  auto resolver = std::make_shared<asio::ip::tcp::resolver>(io_of(loop));
  resolver->async_resolve(host, std::to_string(port), asio::ip::tcp::resolver::numeric_service,
                          [resolver, host, d = std::move(done)](
                              const error_code& ec, const asio::ip::tcp::resolver::results_type& found) mutable {
                            if (ec) {
                              d(Error{.reason = Reason::kServiceUnavailable, .message = to_lower(ec.message())});
                              return;
                            }
                            std::vector<Address> addresses;
                            for (const auto& entry : found) addresses.push_back(address_of(entry.endpoint()));
                            d(std::move(addresses));
                          });
}

bool is_loopback(const Address& address) {
  if (address.storage.ss_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address.storage);
    return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
  }
  if (address.storage.ss_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
    if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) return v6->sin6_addr.s6_addr[12] == 127;
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
  }
  return false;
}

Socket::Socket(EventLoop& loop) : parts_(std::make_shared<Parts>(loop)) {}

Socket::~Socket() {
  close();
}

Status Socket::adopt(int fd, int family) {
  if (family != AF_UNIX) tune_tcp(fd);
  error_code ec;
  parts_->raw.assign(asio::generic::stream_protocol(family, 0), fd, ec);
  if (!ec) return ok();
  ::close(fd);
  return Error{.reason = Reason::kInternalError, .message = "accepted connection: " + to_lower(ec.message())};
}

void Socket::connect(Fd opened, const Address& address, OnEnd done) {
  const asio::generic::stream_protocol::endpoint endpoint(&address.storage, address.length);
  error_code ec;
  parts_->raw.close(ec);
  const asio::generic::stream_protocol protocol(address.storage.ss_family, 0);
  if (opened) {
    parts_->raw.assign(protocol, opened.get(), ec);
    if (!ec) (void)opened.release();
  } else {
    parts_->raw.open(protocol, ec);
  }
  if (ec) {
    parts_->loop.post([ec, d = std::move(done)]() mutable { d(end_of(ec)); });
    return;
  }
  // Otherwise a program that we start would keep the connection open after us.
  ::fcntl(parts_->raw.native_handle(), F_SETFD, FD_CLOEXEC);
  if (address.storage.ss_family != AF_UNIX) tune_tcp(parts_->raw.native_handle());
  parts_->raw.async_connect(endpoint,
                            [parts = parts_, d = std::move(done)](const error_code& e) mutable { d(end_of(e)); });
}

// These functions take Parts, because a callback may outlive the Socket.

namespace {

using Parts = Socket::Parts;

void peek_at(const std::shared_ptr<Parts>& parts, UniqueFunction<void(IoEnd, unsigned char)> done) {
  parts->raw.async_wait(RawSocket::wait_read, [parts, d = std::move(done)](const error_code& ec) mutable {
    if (ec) return d(end_of(ec), 0);
    unsigned char first = 0;
    const ssize_t count = ::recv(parts->raw.native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
    if (count == 1) return d({}, first);
    if (count == 0) return d(end_of(asio::error::eof), 0);
    if (errno == EAGAIN || errno == EINTR) return peek_at(parts, std::move(d));  // Asio may wake up for nothing
    d(end_of(error_code(errno, boost::system::system_category())), 0);
  });
}

}  // namespace

void Socket::peek(UniqueFunction<void(IoEnd, unsigned char)> done) {
  peek_at(parts_, std::move(done));
}

// ---- TLS over the socket ----

namespace {

using Step = TlsStream::Step;

/// A temporary read buffer. Buffers are reused last in, first out, because the last one is still in the cache. TLS
/// needs two; there are more only when a callback runs the loop.
class Scratch {
 public:
  Scratch() {
    if (spare.empty()) spare.push_back(std::make_unique_for_overwrite<char[]>(Socket::kMostRead));
    bytes_ = std::move(spare.back());
    spare.pop_back();
  }
  ~Scratch() { spare.push_back(std::move(bytes_)); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  char* data() const { return bytes_.get(); }

 private:
  static inline thread_local std::vector<std::unique_ptr<char[]>> spare;
  std::unique_ptr<char[]> bytes_;
};

/// Waits for bytes, valid only during the callback. At the end of the stream there are none, and no error.
void receive(const std::shared_ptr<Parts>& parts, std::size_t most, Socket::OnRead done) {
  parts->raw.async_wait(RawSocket::wait_read, [parts, most, d = std::move(done)](const error_code& ec) mutable {
    if (ec) return d(end_of(ec), {});
    const Scratch scratch;
    const ssize_t count = ::recv(parts->raw.native_handle(), scratch.data(), most, MSG_DONTWAIT);
    if (count >= 0) return d({}, {scratch.data(), static_cast<std::size_t>(count)});
    if (errno == EAGAIN || errno == EINTR) return receive(parts, most, std::move(d));
    d(end_of(error_code(errno, boost::system::system_category())), {});
  });
}

/// Receives bytes for a TLS stream, for which the end of the connection is an error.
void receive_records(const std::shared_ptr<Parts>& parts, Socket::OnRead done) {
  receive(parts, Socket::kMostRead, [d = std::move(done)](const IoEnd& end, std::string_view bytes) mutable {
    if (end.ok() && bytes.empty()) return d({IoEnd::Kind::kFailed, "connection closed without a TLS goodbye"}, {});
    d(end, bytes);
  });
}

/// Sends what the kernel accepts without blocking, in slices: the peer can read one while the next is copied.
std::size_t send_now(int fd, std::string_view bytes) {
  constexpr std::size_t kSlice = 64 * 1024;
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const std::string_view slice = bytes.substr(sent, kSlice);
    const ssize_t count = ::send(fd, slice.data(), slice.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) sent += static_cast<std::size_t>(count);
    if (count < static_cast<ssize_t>(slice.size())) break;
  }
  return sent;
}

/// Sends the pending TLS output. Most of it leaves at once; its buffer, still in the cache, is then free for the next
/// connection.
void send_output(const std::shared_ptr<Parts>& parts, Socket::OnEnd done) {
  parts->sending = true;
  std::string& out = parts->out = parts->tls->take_output();
  auto finish = [parts, d = std::move(done)](const error_code& ec, std::size_t) mutable {
    parts->sending = false;
    TlsStream::give_back(std::exchange(parts->out, {}));
    if (Task next = std::exchange(parts->when_sent, nullptr)) next();
    d(end_of(ec));
  };
  const std::size_t sent = send_now(parts->raw.native_handle(), out);
  if (sent == out.size()) {
    TlsStream::give_back(std::exchange(out, {}));
    return parts->loop.post([f = std::move(finish)]() mutable { f({}, 0); });
  }
  // Any error other than a full buffer occurs again here and is reported then.
  asio::async_write(parts->raw, asio::buffer(out) + sent, std::move(finish));
}

void shake_hands(const std::shared_ptr<Parts>& parts, std::string_view arrived, Socket::OnEnd done) {
  const Step step = parts->tls->handshake(arrived);
  if (parts->tls->has_output()) {  // includes the alert that gives the reason for a failure
    IoEnd outcome;
    if (step == Step::kFailed) outcome = {IoEnd::Kind::kFailed, parts->tls->error()};
    return send_output(parts, [parts, step, outcome, d = std::move(done)](const IoEnd& sent) mutable {
      if (!outcome.ok() || !sent.ok()) return d(outcome.ok() ? sent : outcome);
      if (step == Step::kDone) return d({});
      shake_hands(parts, {}, std::move(d));
    });
  }
  if (step == Step::kNeedsInput) {
    return receive_records(parts, [parts, d = std::move(done)](const IoEnd& end, std::string_view bytes) mutable {
      if (!end.ok()) return d(end);
      shake_hands(parts, bytes, std::move(d));
    });
  }
  IoEnd end;
  if (step == Step::kClosed) end = {IoEnd::Kind::kClosed, "connection closed"};
  if (step == Step::kFailed) end = {IoEnd::Kind::kFailed, parts->tls->error()};
  parts->loop.post([end, d = std::move(done)]() mutable { d(end); });
}

void read_tls(const std::shared_ptr<Parts>& parts, std::string_view arrived, std::size_t most, Socket::OnRead done) {
  const Scratch scratch;
  std::size_t count = 0;
  const Step step = parts->tls->read(arrived, scratch.data(), most, count);
  // The peer's key updates are answered along the way.
  if (parts->tls->has_output() && !parts->sending) send_output(parts, [](const IoEnd&) {});
  if (step == Step::kNeedsInput && parts->raw.is_open()) {
    return receive_records(parts, [parts, most, d = std::move(done)](const IoEnd& end, std::string_view bytes) mutable {
      if (!end.ok()) return d(end, {});
      read_tls(parts, bytes, most, std::move(d));
    });
  }
  IoEnd end;
  if (step == Step::kNeedsInput) end = end_of(asio::error::operation_aborted);
  if (step == Step::kClosed) end = {IoEnd::Kind::kClosed, "connection closed"};
  if (step == Step::kFailed) end = {IoEnd::Kind::kFailed, parts->tls->error()};
  done(std::move(end), {scratch.data(), count});
}

/// Small pieces are combined into records, one at a time so that the buffer stays in the cache. Large ones are sent
/// without copying.
Step encrypt(TlsStream& tls, const std::vector<std::string_view>& pieces) {
  constexpr std::size_t kRecordBytes = 16 * 1024;
  static thread_local std::string record;
  record.clear();
  for (std::string_view piece : pieces) {
    while (!piece.empty()) {
      const bool as_it_is = record.empty() && piece.size() >= kRecordBytes;
      const std::size_t room = as_it_is ? piece.size() - piece.size() % kRecordBytes : kRecordBytes - record.size();
      const std::string_view part = piece.substr(0, room);
      piece.remove_prefix(part.size());
      if (!as_it_is && record.append(part).size() < kRecordBytes) continue;
      if (const Step step = tls.write(as_it_is ? part : record); step != Step::kDone) return step;
      record.clear();
    }
  }
  return record.empty() ? Step::kDone : tls.write(record);
}

}  // namespace

void Socket::accept_tls(std::shared_ptr<TlsContext> tls, OnEnd done) {
  parts_->context = std::move(tls);
  parts_->tls.emplace(parts_->context->context.native_handle());
  shake_hands(parts_, {}, std::move(done));
}

void Socket::connect_tls(std::shared_ptr<TlsContext> tls, const std::string& name, OnEnd done) {
  parts_->context = std::move(tls);
  const auto ip = ip_literal(name);
  parts_->tls.emplace(parts_->context->context.native_handle(), ip ? ip->to_string() : name, ip.has_value(),
                      parts_->context->verify);
  shake_hands(parts_, {}, std::move(done));
}

void Socket::read_some(std::size_t most, OnRead done) {
  if (!parts_->tls) {
    return receive(parts_, most, [d = std::move(done)](const IoEnd& end, std::string_view bytes) mutable {
      d(end.ok() && bytes.empty() ? end_of(asio::error::eof) : end, bytes);
    });
  }
  // Bytes that arrived earlier may hold more than the previous read requested.
  if (!parts_->tls->is_drained()) {
    return parts_->loop.post(
        [parts = parts_, most, d = std::move(done)]() mutable { read_tls(parts, {}, most, std::move(d)); });
  }
  receive_records(parts_,
                  [parts = parts_, most, d = std::move(done)](const IoEnd& end, std::string_view bytes) mutable {
                    if (!end.ok()) return d(end, {});
                    read_tls(parts, bytes, most, std::move(d));
                  });
}

void Socket::write(const std::vector<std::string_view>& pieces, OnEnd done) {
  if (!parts_->tls) {
    std::vector<asio::const_buffer> buffers;
    buffers.reserve(pieces.size());
    for (const std::string_view piece : pieces) buffers.emplace_back(piece.data(), piece.size());
    asio::async_write(
        parts_->raw, buffers,
        [parts = parts_, d = std::move(done)](const error_code& ec, std::size_t) mutable { d(end_of(ec)); });
    return;
  }
  if (encrypt(*parts_->tls, pieces) != Step::kDone) {
    IoEnd end{IoEnd::Kind::kFailed, parts_->tls->error()};
    return parts_->loop.post([end, d = std::move(done)]() mutable { d(end); });
  }
  // A key update is being sent; this output follows it.
  if (parts_->sending) {
    parts_->when_sent = [parts = parts_, d = std::move(done)]() mutable { send_output(parts, std::move(d)); };
    return;
  }
  send_output(parts_, std::move(done));
}

int Socket::descriptor() const {
  return parts_->raw.native_handle();
}

bool Socket::quiet() const {
  char byte = 0;
  return ::recv(parts_->raw.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

void Socket::shutdown_write() {
  error_code ignored;
  parts_->raw.shutdown(RawSocket::shutdown_send, ignored);
}

void Socket::close() {
  error_code ignored;
  parts_->raw.close(ignored);
}

}  // namespace muster::net
