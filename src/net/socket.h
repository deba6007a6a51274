// A connected stream socket, TCP or Unix, optionally with TLS: what the HTTP server and client read from and write to.
// Private to net/. Asio and OpenSSL stay in socket.cc.
//
// Loop thread only. At most one read and one write are in progress at a time. Callbacks never run inline; close() makes
// pending ones fail. The owner must live until then, so callbacks hold it. Written bytes belong to the caller until the
// callback; bytes read are valid only during the callback, in memory that all connections share.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "net/event_loop.h"

namespace muster::net {

/// The result of an operation on a socket.
struct IoEnd {
  enum class Kind { kOk, kClosed, kFailed };
  Kind kind = Kind::kOk;
  std::string why = {};  // lower case; "" when ok

  bool ok() const { return kind == Kind::kOk; }
};

struct TlsContext;

/// Creates a TLS context for a server; BadRequest when certificate and key are not PEM or do not match.
Result<std::shared_ptr<TlsContext>> make_server_tls(const std::string& certificate_pem, const std::string& key_pem);

struct ClientTls {
  std::string ca_pem;  // "": the system's authorities
  std::string certificate_pem;
  std::string key_pem;
  bool skip_verify = false;
};
Result<std::shared_ptr<TlsContext>> make_client_tls(const ClientTls& tls);

struct Address {
  sockaddr_storage storage = {};
  socklen_t length = 0;
};

Result<Address> unix_address(const std::string& path);
/// Resolves a host to its addresses, in the order to try them.
void resolve(EventLoop& loop, const std::string& host, int port,
             UniqueFunction<void(Result<std::vector<Address>>)> done);
bool is_loopback(const Address& address);

class Socket {
 public:
  using OnEnd = UniqueFunction<void(IoEnd)>;
  using OnRead = UniqueFunction<void(IoEnd, std::string_view bytes)>;

  explicit Socket(EventLoop& loop);
  ~Socket();

  /// Takes ownership of the descriptor of an accepted connection.
  Status adopt(int fd, int family);
  /// Connects by a socket that was opened already, or, with an empty one, by a new one.
  void connect(Fd opened, const Address& address, OnEnd done);

  /// It stays the socket's; to look at, not to read from or write to.
  int descriptor() const;

  /// Reads the first byte that arrives without consuming it.
  void peek(UniqueFunction<void(IoEnd, unsigned char first)> done);
  void accept_tls(std::shared_ptr<TlsContext> tls, OnEnd done);
  /// `name` is the DNS name or IP address that the certificate must match.
  void connect_tls(std::shared_ptr<TlsContext> tls, const std::string& name, OnEnd done);

  /// Reads up to `most` bytes, which may not exceed kMostRead.
  void read_some(std::size_t most, OnRead done);
  static constexpr std::size_t kMostRead = 128 * 1024;
  /// Writes all pieces with as few system calls as possible.
  void write(const std::vector<std::string_view>& pieces, OnEnd done);
  /// Returns true when nothing is left to read, not even the end of the stream.
  bool quiet() const;
  /// Ends our side of the stream; the peer may continue to send.
  void shutdown_write();
  void close();

  struct Parts;  // defined in socket.cc

 private:
  std::shared_ptr<Parts> parts_;
};

}  // namespace muster::net
