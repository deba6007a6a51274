// TLS as a function of bytes: received bytes go in, bytes to send come out. It knows no socket, so one system call can
// carry many records. Private to net/.
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
  /// Creates the server's side.
  explicit TlsStream(ssl_ctx_st* context);
  /// Creates the client's side. The certificate must match `name`: a DNS name, or an IP address when `is_ip`.
  TlsStream(ssl_ctx_st* context, const std::string& name, bool is_ip, bool verify);

  enum class Step { kDone, kNeedsInput, kClosed, kFailed };

  // `arrived` are bytes from the peer. Bytes that a step does not need yet are kept for the next one.
  Step handshake(std::string_view arrived);
  Step read(std::string_view arrived, char* into, std::size_t size, std::size_t& count);
  /// Encrypts all of `plain` into the output.
  Step write(std::string_view plain);

  /// Returns the bytes to send. Strings passed to give_back() after sending are reused by all streams of the thread.
  std::string take_output();
  static void give_back(std::string sent);
  /// Returns true when the last read consumed every record that had arrived completely.
  bool is_drained() const { return drained_; }
  bool has_output() const { return !wire_->out.empty(); }
  /// Returns why the last step failed, in lower case.
  const std::string& error() const { return error_; }

  /// The encrypted bytes on their way to and from OpenSSL.
  struct Wire {
    std::string kept;           // left by earlier steps, read first
    std::size_t kept_used = 0;  // how much of it this step has read
    std::string_view in;        // from the peer, during a step
    std::string out;            // to the peer
  };

 private:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  Step step_of(int result);
  Step decrypt(char* into, std::size_t size, std::size_t& count);
  void keep_rest();

  std::unique_ptr<Wire> wire_ = std::make_unique<Wire>();  // OpenSSL holds a pointer to it
  std::unique_ptr<ssl_st, Free> ssl_;
  bool drained_ = false;
  std::string error_;
  std::string unusable_;  // why no handshake can succeed
};

}  // namespace muster::net
