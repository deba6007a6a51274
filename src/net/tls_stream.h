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

  // `arrived` are bytes from the peer. What a step does not need yet is kept for the next one.
  Step handshake(std::string_view arrived);
  Step read(std::string_view arrived, char* into, std::size_t size, std::size_t& count);
  /// All of it becomes output.
  Step write(std::string_view plain);

  /// What must be sent to the peer. Strings given back when they are sent are used again, by all streams of a thread.
  std::string take_output();
  static void give_back(std::string sent);
  /// The last read took all that had arrived as whole records.
  bool is_drained() const { return drained_; }
  bool has_output() const { return !wire_->out.empty(); }
  /// Why the last step failed, lower case.
  const std::string& error() const { return error_; }

  /// The bytes on either side of OpenSSL.
  struct Wire {
    std::string kept;           // what earlier steps left, to be read first
    std::size_t kept_used = 0;  // of that, during a step
    std::string_view in;        // from the peer, during a step
    std::string out;            // for the peer
  };

 private:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  Step step_of(int result);
  Step decrypt(char* into, std::size_t size, std::size_t& count);
  void keep_rest();

  std::unique_ptr<Wire> wire_ = std::make_unique<Wire>();  // OpenSSL holds its address
  std::unique_ptr<ssl_st, Free> ssl_;
  bool drained_ = false;
  std::string error_;
  std::string unusable_;  // why no handshake can succeed
};

}  // namespace muster::net
