#include "net/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/strings.h"

namespace muster::net {
namespace {

int as_int(std::size_t size) {
  return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
}

// An idle connection keeps at most this much: a record that has not arrived completely.
constexpr std::size_t kKeptInput = 17 * 1024;
// OpenSSL releases its own buffers, 34 KiB per connection, between messages, except for the first so many connections:
// allocating them again for each message caused most of the page faults under load.
constexpr int kKeepingBuffers = 128;
thread_local int open_streams = 0;

// Buffers of sent output are reused for later output, up to this much.
constexpr std::size_t kSpareBytes = 1u << 20;
constexpr std::size_t kMostSpares = 32;
thread_local std::vector<std::string> spares;
thread_local std::size_t spare_bytes = 0;

std::string take_spare() {
  if (spares.empty()) return {};
  std::string out = std::move(spares.back());
  spares.pop_back();
  spare_bytes -= out.capacity();
  return out;
}

TlsStream::Wire& wire_of(BIO* bio) {
  return *static_cast<TlsStream::Wire*>(BIO_get_data(bio));
}

// Our own BIO: OpenSSL's memory BIO copies once more on each side and clears its whole buffer when it is emptied.
int write_wire(BIO* bio, const char* data, int size) {
  wire_of(bio).out.append(data, static_cast<std::size_t>(size));
  return size;
}

int read_wire(BIO* bio, char* into, int size) {
  TlsStream::Wire& wire = wire_of(bio);
  BIO_clear_retry_flags(bio);
  if (wire.kept_used < wire.kept.size()) {
    const std::size_t count = wire.kept.copy(into, static_cast<std::size_t>(size), wire.kept_used);
    wire.kept_used += count;
    return static_cast<int>(count);
  }
  if (wire.in.empty()) {
    BIO_set_retry_read(bio);
    return -1;
  }
  const std::size_t count = wire.in.copy(into, static_cast<std::size_t>(size));
  wire.in.remove_prefix(count);
  return static_cast<int>(count);
}

long control_wire(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* make_wire_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire");
  CHECK(method != nullptr);
  BIO_meth_set_write(method, write_wire);
  BIO_meth_set_read(method, read_wire);
  BIO_meth_set_ctrl(method, control_wire);
  return method;
}

SSL* make_ssl(SSL_CTX* context, TlsStream::Wire* wire) {
  static BIO_METHOD* const method = make_wire_method();
  SSL* ssl = SSL_new(context);
  BIO* bio = BIO_new(method);
  CHECK(ssl != nullptr && bio != nullptr);
  if (open_streams++ < kKeepingBuffers) SSL_clear_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
  BIO_set_data(bio, wire);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);  // takes ownership
  return ssl;
}

}  // namespace

void TlsStream::Free::operator()(ssl_st* ssl) const {
  SSL_free(ssl);
  --open_streams;
}

TlsStream::TlsStream(ssl_ctx_st* context) : ssl_(make_ssl(context, wire_.get())) {
  SSL_set_accept_state(ssl_.get());
}

TlsStream::TlsStream(ssl_ctx_st* context, const std::string& name, bool is_ip, bool verify)
    : ssl_(make_ssl(context, wire_.get())) {
  SSL_set_connect_state(ssl_.get());
  bool can_check = false;
  if (is_ip) {
    can_check = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), name.c_str()) == 1;
  } else {
    can_check = SSL_set_tlsext_host_name(ssl_.get(), name.c_str()) == 1 && SSL_set1_host(ssl_.get(), name.c_str()) == 1;
  }
  // Without a name to check, any certificate of the authority would be accepted.
  if (verify && !can_check) unusable_ = "certificate cannot be checked for " + quote(name);
  SSL_set_verify(ssl_.get(), verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
}

void TlsStream::keep_rest() {
  std::string& kept = wire_->kept;
  kept.erase(0, std::exchange(wire_->kept_used, 0));
  kept.append(std::exchange(wire_->in, {}));
  if (kept.empty() && kept.capacity() > kKeptInput) kept.shrink_to_fit();
}

TlsStream::Step TlsStream::step_of(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_NONE:
      return Step::kDone;
    case SSL_ERROR_WANT_READ:
      return Step::kNeedsInput;
    case SSL_ERROR_ZERO_RETURN:
      return Step::kClosed;
    default:
      break;
  }
  const long verdict = SSL_get_verify_result(ssl_.get());
  const unsigned long code = ERR_get_error();
  if (SSL_get_verify_mode(ssl_.get()) == SSL_VERIFY_PEER && verdict != X509_V_OK) {
    error_ = std::string("certificate not accepted: ") + X509_verify_cert_error_string(verdict);
  } else {
    const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
    error_ = reason == nullptr ? "tls: protocol error" : to_lower(reason);
  }
  ERR_clear_error();
  return Step::kFailed;
}

TlsStream::Step TlsStream::handshake(std::string_view arrived) {
  if (!unusable_.empty()) {
    error_ = unusable_;
    return Step::kFailed;
  }
  wire_->in = arrived;
  ERR_clear_error();
  const Step step = step_of(SSL_do_handshake(ssl_.get()));
  keep_rest();
  return step;
}

TlsStream::Step TlsStream::read(std::string_view arrived, char* into, std::size_t size, std::size_t& count) {
  wire_->in = arrived;
  const Step step = decrypt(into, size, count);
  keep_rest();
  return step;
}

TlsStream::Step TlsStream::decrypt(char* into, std::size_t size, std::size_t& count) {
  ERR_clear_error();
  count = 0;
  drained_ = false;
  // One call returns at most one record; continue with records that have already arrived.
  while (count < size) {
    const int result = SSL_read(ssl_.get(), into + count, as_int(size - count));
    if (result > 0) {
      count += static_cast<std::size_t>(result);
      continue;
    }
    drained_ = SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ;
    if (count > 0) return Step::kDone;  // the next read reports the end, if this is one
    return step_of(result);
  }
  return Step::kDone;
}

TlsStream::Step TlsStream::write(std::string_view plain) {
  ERR_clear_error();
  if (wire_->out.capacity() == std::string().capacity()) wire_->out = take_spare();
  while (!plain.empty()) {
    const int result = SSL_write(ssl_.get(), plain.data(), as_int(plain.size()));
    if (result <= 0) return step_of(result);
    plain.remove_prefix(static_cast<std::size_t>(result));
  }
  return Step::kDone;
}

std::string TlsStream::take_output() {
  return std::exchange(wire_->out, {});
}

void TlsStream::give_back(std::string sent) {
  if (sent.capacity() == std::string().capacity()) return;
  if (spares.size() == kMostSpares || spare_bytes + sent.capacity() > kSpareBytes) return;
  sent.clear();
  spare_bytes += sent.capacity();
  spares.push_back(std::move(sent));
}

}  // namespace muster::net
