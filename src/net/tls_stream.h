// TLS as a function of bytes: what arrived goes in, what must be sent comes out. It knows no socket, so one system call
// can carry many records. Private to net/.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct ssl_st;      // OpenSSL's SSL
struct ssl_ctx_st;  // and SSL_CTX

namespace muster::net {

class TlsStream {
 public:
  /// The server's side.
  explicit TlsStream(ssl_ctx_st* context);
  /// The client's side. `name` is what the certificate must be for: a DNS name, or an IP address when `is_ip`.
  TlsStream(ssl_ctx_st* context, const std::string& name, bool is_ip, bool verify);

  enum class Step { kDone, kNeedsInput, kClosed, kFailed };

  /// Bytes from the peer.
  void feed(std::string_view bytes);
  Step handshake();
  Step read(char* into, std::size_t size, std::size_t& count);
  /// All of it becomes output.
  Step write(std::string_view plain);

  /// What must be sent to the peer, appended.
  void take_output(std::string& out);
  bool has_output() const;
  /// Why the last step failed, lower case.
  const std::string& error() const { return error_; }

 private:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  Step step_of(int result);

  std::unique_ptr<ssl_st, Free> ssl_;
  std::string error_;
};

}  // namespace muster::net
