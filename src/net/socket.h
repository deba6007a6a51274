// A connected stream socket, TCP or Unix, with TLS over it when asked for: what HTTP server and client read and write.
// Private to net/. Asio and OpenSSL stay in socket.cc.
//
// Loop thread only. At most one read and one write are under way at a time. Callbacks never come inline; close() makes
// those under way fail. The owner must live until then, so callbacks hold it. What is written stays the caller's until
// the callback; what was read is there during the callback only, in memory that all connections share.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/event_loop.h"

namespace muster::net {

/// How an operation on a socket came out.
struct IoEnd {
  enum class Kind { kOk, kClosed, kFailed };
  Kind kind = Kind::kOk;
  std::string why = {};  // lower case, "" when ok

  bool ok() const { return kind == Kind::kOk; }
};

struct TlsContext;

/// Certificate and key of a server; BadRequest when they are not PEM or do not belong together.
Result<std::shared_ptr<TlsContext>> make_server_tls(const std::string& certificate_pem, const std::string& key_pem);

struct ClientTls {
  std::string ca_pem;  // "" = the system's
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
/// Addresses of a host, in the order to try them.
void resolve(EventLoop& loop, const std::string& host, int port,
             UniqueFunction<void(Result<std::vector<Address>>)> done);
bool is_loopback(const Address& address);

class Socket {
 public:
  using OnEnd = UniqueFunction<void(IoEnd)>;
  using OnRead = UniqueFunction<void(IoEnd, std::string_view bytes)>;

  explicit Socket(EventLoop& loop);
  ~Socket();

  /// Takes the descriptor of an accepted connection.
  Status adopt(int fd, int family);
  void connect(const Address& address, OnEnd done);

  /// The first byte that arrives, left in place.
  void peek(UniqueFunction<void(IoEnd, unsigned char first)> done);
  void accept_tls(std::shared_ptr<TlsContext> tls, OnEnd done);
  /// `name` is what the certificate must be for: a DNS name or an IP address.
  void connect_tls(std::shared_ptr<TlsContext> tls, const std::string& name, OnEnd done);

  /// At most kMostRead.
  void read_some(std::size_t most, OnRead done);
  static constexpr std::size_t kMostRead = 128 * 1024;
  /// All pieces, with as few system calls as can be.
  void write(const std::vector<std::string_view>& pieces, OnEnd done);
  /// Nothing has arrived that was not read yet, not even the end.
  bool quiet() const;
  /// No more bytes from us; the other side may still be sending.
  void shutdown_write();
  void close();

  struct Parts;  // of socket.cc

 private:
  std::shared_ptr<Parts> parts_;
};

}  // namespace muster::net
