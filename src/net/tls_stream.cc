#include "net/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/strings.h"

namespace muster::net {
namespace {

int as_int(std::size_t size) {
  return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
}

SSL* make_ssl(SSL_CTX* context) {
  SSL* ssl = SSL_new(context);
  CHECK(ssl != nullptr);
  SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));  // owns both
  return ssl;
}

}  // namespace

void TlsStream::Free::operator()(ssl_st* ssl) const {
  SSL_free(ssl);
}

TlsStream::TlsStream(ssl_ctx_st* context) : ssl_(make_ssl(context)) {
  SSL_set_accept_state(ssl_.get());
}

TlsStream::TlsStream(ssl_ctx_st* context, const std::string& name, bool is_ip, bool verify) : ssl_(make_ssl(context)) {
  SSL_set_connect_state(ssl_.get());
  if (is_ip) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), name.c_str());
  } else {
    SSL_set_tlsext_host_name(ssl_.get(), name.c_str());
    SSL_set1_host(ssl_.get(), name.c_str());
  }
  SSL_set_verify(ssl_.get(), verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
}

void TlsStream::feed(std::string_view bytes) {
  CHECK(BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), as_int(bytes.size())) == static_cast<int>(bytes.size()));
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

TlsStream::Step TlsStream::handshake() {
  ERR_clear_error();
  return step_of(SSL_do_handshake(ssl_.get()));
}

TlsStream::Step TlsStream::read(char* into, std::size_t size, std::size_t& count) {
  ERR_clear_error();
  count = 0;
  // One call gives one record at most; what lies ready beyond it is taken along.
  while (count < size) {
    const int result = SSL_read(ssl_.get(), into + count, as_int(size - count));
    if (result > 0) {
      count += static_cast<std::size_t>(result);
      continue;
    }
    if (count > 0 && SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ) return Step::kDone;
    return step_of(result);
  }
  return Step::kDone;
}

TlsStream::Step TlsStream::write(std::string_view plain) {
  ERR_clear_error();
  while (!plain.empty()) {
    const int result = SSL_write(ssl_.get(), plain.data(), as_int(plain.size()));
    if (result <= 0) return step_of(result);
    plain.remove_prefix(static_cast<std::size_t>(result));
  }
  return Step::kDone;
}

bool TlsStream::has_output() const {
  return BIO_ctrl_pending(SSL_get_wbio(ssl_.get())) > 0;
}

void TlsStream::take_output(std::string& out) {
  BIO* bio = SSL_get_wbio(ssl_.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  if (size > 0) out.append(data, static_cast<std::size_t>(size));
  (void)BIO_reset(bio);
}

}  // namespace muster::net
