#include "net/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <cstring>
#include <optional>

#include "base/strings.h"
#include "net/loop_context.h"

namespace muster::net {

namespace asio = boost::asio;
using boost::system::error_code;
using RawSocket = asio::generic::stream_protocol::socket;

struct TlsContext {
  explicit TlsContext(asio::ssl::context::method method) : context(method) {}
  asio::ssl::context context;
  bool verify = false;
};

struct Socket::Parts {
  explicit Parts(EventLoop& l) : loop(l), raw(io_of(l)) {}
  EventLoop& loop;
  RawSocket raw;
  std::shared_ptr<TlsContext> context;  // outlives tls
  std::optional<asio::ssl::stream<RawSocket&>> tls;
  std::string flat;  // what one TLS write is made from
};

namespace {

IoEnd end_of(const error_code& ec) {
  if (!ec) return {};
  if (ec == asio::error::eof) return {IoEnd::Kind::kClosed, "connection closed"};
  if (ec == asio::ssl::error::stream_truncated) {
    return {IoEnd::Kind::kFailed, "connection closed without a TLS goodbye"};
  }
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

/// Half-open peers are found out in about two minutes, also while nothing is being sent.
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
  SSL_CTX_set_mode(context.native_handle(), SSL_MODE_RELEASE_BUFFERS);  // 34 KiB less for each idle connection
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
  auto tls = std::make_shared<TlsContext>(asio::ssl::context::tls_server);
  use_modern_tls(tls->context);
  TRY(load_identity(tls->context, certificate_pem, key_pem));
  SSL_CTX_set_alpn_select_cb(tls->context.native_handle(), choose_http1, nullptr);
  return tls;
}

Result<std::shared_ptr<TlsContext>> make_client_tls(const ClientTls& wanted) {
  auto tls = std::make_shared<TlsContext>(asio::ssl::context::tls_client);
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

void Socket::connect(const Address& address, OnEnd done) {
  const asio::generic::stream_protocol::endpoint endpoint(&address.storage, address.length);
  error_code ec;
  parts_->raw.close(ec);
  parts_->raw.open(asio::generic::stream_protocol(address.storage.ss_family, 0), ec);
  if (ec) {
    parts_->loop.post([ec, d = std::move(done)]() mutable { d(end_of(ec)); });
    return;
  }
  if (address.storage.ss_family != AF_UNIX) tune_tcp(parts_->raw.native_handle());
  parts_->raw.async_connect(endpoint,
                            [parts = parts_, d = std::move(done)](const error_code& e) mutable { d(end_of(e)); });
}

void Socket::peek(UniqueFunction<void(IoEnd, unsigned char)> done) {
  parts_->raw.async_wait(RawSocket::wait_read, [parts = parts_, d = std::move(done)](const error_code& ec) mutable {
    if (ec) {
      d(end_of(ec), 0);
      return;
    }
    unsigned char first = 0;
    const ssize_t count = ::recv(parts->raw.native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
    if (count == 1) {
      d({}, first);
    } else {
      d(count == 0 ? end_of(asio::error::eof) : end_of(error_code(errno, boost::system::system_category())), 0);
    }
  });
}

void Socket::accept_tls(std::shared_ptr<TlsContext> tls, OnEnd done) {
  parts_->context = std::move(tls);
  parts_->tls.emplace(parts_->raw, parts_->context->context);
  parts_->tls->async_handshake(asio::ssl::stream_base::server,
                               [parts = parts_, d = std::move(done)](const error_code& ec) mutable { d(end_of(ec)); });
}

void Socket::connect_tls(std::shared_ptr<TlsContext> tls, const std::string& name, OnEnd done) {
  parts_->context = std::move(tls);
  parts_->tls.emplace(parts_->raw, parts_->context->context);
  SSL* ssl = parts_->tls->native_handle();
  if (const auto ip = ip_literal(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), ip->to_string().c_str());
  } else {
    SSL_set_tlsext_host_name(ssl, name.c_str());
    SSL_set1_host(ssl, name.c_str());
  }
  SSL_set_verify(ssl, parts_->context->verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  parts_->tls->async_handshake(
      asio::ssl::stream_base::client, [parts = parts_, d = std::move(done)](const error_code& ec) mutable {
        IoEnd end = end_of(ec);
        const long verdict = SSL_get_verify_result(parts->tls->native_handle());
        if (!end.ok() && parts->context->verify && verdict != X509_V_OK) {
          end.why = std::string("certificate not accepted: ") + X509_verify_cert_error_string(verdict);
        }
        d(std::move(end));
      });
}

void Socket::read_some(char* into, std::size_t size, OnRead done) {
  auto finished = [parts = parts_, d = std::move(done)](const error_code& ec, std::size_t count) mutable {
    d(end_of(ec), count);
  };
  if (parts_->tls) {
    parts_->tls->async_read_some(asio::buffer(into, size), std::move(finished));
  } else {
    parts_->raw.async_read_some(asio::buffer(into, size), std::move(finished));
  }
}

void Socket::write(const std::vector<std::string_view>& pieces, OnEnd done) {
  auto finished = [parts = parts_, d = std::move(done)](const error_code& ec, std::size_t) mutable { d(end_of(ec)); };
  if (!parts_->tls) {
    std::vector<asio::const_buffer> buffers;
    buffers.reserve(pieces.size());
    for (const std::string_view piece : pieces) buffers.emplace_back(piece.data(), piece.size());
    asio::async_write(parts_->raw, buffers, std::move(finished));
    return;
  }
  // The TLS stream makes a record and a system call of each buffer, so small ones are joined first.
  if (pieces.size() == 1) {
    asio::async_write(*parts_->tls, asio::buffer(pieces.front().data(), pieces.front().size()), std::move(finished));
    return;
  }
  parts_->flat.clear();
  for (const std::string_view piece : pieces) parts_->flat.append(piece);
  asio::async_write(*parts_->tls, asio::buffer(parts_->flat), std::move(finished));
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
