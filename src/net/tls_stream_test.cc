#include "net/tls_stream.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <memory>

namespace muster::net {
namespace {

using Step = TlsStream::Step;

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;

TEST(TlsStream, AClientBeginsTheHandshake) {
  const Context context(SSL_CTX_new(TLS_client_method()));
  for (const bool is_ip : {true, false}) {
    TlsStream stream(context.get(), is_ip ? "127.0.0.1" : "localhost", is_ip, true);
    EXPECT_EQ(stream.handshake({}), Step::kNeedsInput);
    EXPECT_TRUE(stream.has_output());
  }
}

TEST(TlsStream, ANameThatNoCertificateCanBeCheckedForIsRefused) {
  const Context context(SSL_CTX_new(TLS_client_method()));
  TlsStream stream(context.get(), "fe80::1%eth0", true, true);
  EXPECT_EQ(stream.handshake({}), Step::kFailed);
  EXPECT_EQ(stream.error(), "certificate cannot be checked for \"fe80::1%eth0\"");
  EXPECT_FALSE(stream.has_output());
  TlsStream unchecked(context.get(), "fe80::1%eth0", true, false);
  EXPECT_EQ(unchecked.handshake({}), Step::kNeedsInput);
}

TEST(TlsStream, WhatIsNoTlsFails) {
  const Context context(SSL_CTX_new(TLS_client_method()));
  TlsStream stream(context.get(), "localhost", false, true);
  EXPECT_EQ(stream.handshake({}), Step::kNeedsInput);
  EXPECT_EQ(stream.handshake("HTTP/1.1 400 Bad Request\r\n\r\n"), Step::kFailed);
  EXPECT_FALSE(stream.error().empty());
}

}  // namespace
}  // namespace muster::net
