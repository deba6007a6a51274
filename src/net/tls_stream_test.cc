#include "net/tls_stream.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <memory>
#include <optional>
#include <string>

#include "net/pki.h"

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

/// Both sides of a connection, without a network.
class TlsPair {
 public:
  TlsPair() : server_context_(SSL_CTX_new(TLS_server_method())), client_context_(SSL_CTX_new(TLS_client_method())) {
    const KeyPair ca = *make_ca(Time());
    const KeyPair pair = *make_server_certificate(ca, {"localhost"}, Time());
    const std::unique_ptr<BIO, decltype(&BIO_free)> certificate(
        BIO_new_mem_buf(pair.certificate_pem.data(), static_cast<int>(pair.certificate_pem.size())), &BIO_free);
    const std::unique_ptr<BIO, decltype(&BIO_free)> key(
        BIO_new_mem_buf(pair.key_pem.data(), static_cast<int>(pair.key_pem.size())), &BIO_free);
    const std::unique_ptr<X509, decltype(&X509_free)> x509(
        PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr), &X509_free);
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> pkey(
        PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
    SSL_CTX_use_certificate(server_context_.get(), x509.get());
    SSL_CTX_use_PrivateKey(server_context_.get(), pkey.get());
    server.emplace(server_context_.get());
    client.emplace(client_context_.get(), "localhost", false, false);
    Step a = Step::kNeedsInput;
    Step b = Step::kNeedsInput;
    while (a != Step::kDone || b != Step::kDone) {
      a = client->handshake(server->take_output());
      b = server->handshake(client->take_output());
    }
    client->handshake(server->take_output());
  }

  /// Returns what the client decrypts from `arrived`, at most `most` bytes.
  std::string read(std::string_view arrived, std::size_t most) {
    std::string into(most, '\0');
    std::size_t count = 0;
    EXPECT_NE(client->read(arrived, into.data(), most, count), Step::kFailed);
    return into.substr(0, count);
  }

  std::optional<TlsStream> server;
  std::optional<TlsStream> client;

 private:
  Context server_context_;
  Context client_context_;
};

TEST(TlsStream, RecordsMayArriveInAnyPieces) {
  TlsPair pair;
  std::string sent;
  std::string wire;
  for (int i = 0; i < 20; ++i) {
    const std::string text(static_cast<std::size_t>(1 + i * 1500), static_cast<char>('a' + i));
    ASSERT_EQ(pair.server->write(text), Step::kDone);
    wire += pair.server->take_output();
    sent += text;
  }
  std::string got;
  std::size_t piece = 1;
  for (std::size_t at = 0; at < wire.size(); at += piece, piece = piece * 3 % 40'961 + 1) {
    got += pair.read(std::string_view(wire).substr(at, piece), 10'000);
    while (!pair.client->is_drained()) got += pair.read({}, 10'000);
  }
  EXPECT_EQ(got, sent);
}

}  // namespace
}  // namespace muster::net
