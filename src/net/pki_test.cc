#include "net/pki.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

#include "net/signature_for_tests.h"

namespace muster::net {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const Time kNow = *parse_rfc3339("2026-03-01T12:00:00Z");

struct FreeCertificate {
  void operator()(X509* p) const { X509_free(p); }
};
struct FreeKey {
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
};
struct FreeBio {
  void operator()(BIO* p) const { BIO_free_all(p); }
};
struct FreeStore {
  void operator()(X509_STORE* p) const { X509_STORE_free(p); }
};
struct FreeStoreContext {
  void operator()(X509_STORE_CTX* p) const { X509_STORE_CTX_free(p); }
};

std::unique_ptr<X509, FreeCertificate> certificate(const std::string& pem) {
  const std::unique_ptr<BIO, FreeBio> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return std::unique_ptr<X509, FreeCertificate>(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

std::unique_ptr<EVP_PKEY, FreeKey> key(const std::string& pem) {
  const std::unique_ptr<BIO, FreeBio> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return std::unique_ptr<EVP_PKEY, FreeKey>(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
}

/// Verifies as a TLS client would at time `at`; returns X509_V_OK or the error code.
int verify(const KeyPair& ca, const KeyPair& server, Time at) {
  const auto root = certificate(ca.certificate_pem);
  const auto leaf = certificate(server.certificate_pem);
  const std::unique_ptr<X509_STORE, FreeStore> store(X509_STORE_new());
  X509_STORE_add_cert(store.get(), root.get());
  const std::unique_ptr<X509_STORE_CTX, FreeStoreContext> context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), nullptr);
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_SERVER);
  X509_STORE_CTX_set_flags(context.get(), X509_V_FLAG_X509_STRICT);
  X509_STORE_CTX_set_time(context.get(), 0,
                          std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count());
  X509_verify_cert(context.get());
  return X509_STORE_CTX_get_error(context.get());
}

class PkiTest : public ::testing::Test {
 protected:
  KeyPair ca_ = *make_ca(kNow);
  KeyPair server_ = *make_server_certificate(ca_, {"localhost", "127.0.0.1", "::1", "node-1.example"}, kNow);
};

TEST_F(PkiTest, ServerCertificateVerifiesAgainstItsCa) {
  EXPECT_EQ(verify(ca_, server_, kNow), X509_V_OK);
  EXPECT_EQ(verify(ca_, server_, kNow + std::chrono::hours(24 * 364)), X509_V_OK);
  EXPECT_EQ(verify(ca_, server_, kNow + std::chrono::hours(24 * 366)), X509_V_ERR_CERT_HAS_EXPIRED);
  EXPECT_EQ(verify(ca_, server_, kNow - std::chrono::hours(1)), X509_V_ERR_CERT_NOT_YET_VALID);
}

TEST_F(PkiTest, AnotherCaDoesNotVouchForIt) {
  EXPECT_NE(verify(*make_ca(kNow), server_, kNow), X509_V_OK);
}

TEST_F(PkiTest, CoversItsNamesAndAddressesAndNoOthers) {
  const auto leaf = certificate(server_.certificate_pem);
  EXPECT_EQ(X509_check_host(leaf.get(), "localhost", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(leaf.get(), "node-1.example", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(leaf.get(), "node-2.example", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "127.0.0.2", 0), 0);
}

TEST_F(PkiTest, KeysAreP256AndBelongToTheirCertificates) {
  for (const KeyPair& pair : {ca_, server_}) {
    const auto private_key = key(pair.key_pem);
    const auto leaf = certificate(pair.certificate_pem);
    EXPECT_EQ(X509_check_private_key(leaf.get(), private_key.get()), 1);
    EXPECT_EQ(EVP_PKEY_get_bits(private_key.get()), 256);
  }
}

TEST_F(PkiTest, OnlyTheCaMaySign) {
  EXPECT_EQ(X509_check_ca(certificate(ca_.certificate_pem).get()), 1);
  EXPECT_EQ(X509_check_ca(certificate(server_.certificate_pem).get()), 0);
}

TEST_F(PkiTest, SerialsDiffer) {
  const auto again = make_server_certificate(ca_, {"localhost"}, kNow);
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(certificate(server_.certificate_pem).get()),
                             X509_get0_serialNumber(certificate(again->certificate_pem).get())),
            0);
}

TEST_F(PkiTest, TellsWhenACertificateExpires) {
  EXPECT_EQ(*certificate_expiry(server_.certificate_pem), kNow + std::chrono::hours(24 * 365));
  EXPECT_EQ(*certificate_expiry(ca_.certificate_pem), kNow + std::chrono::hours(24 * 3650));
}

TEST_F(PkiTest, RefusesNamesThatCannotStandInACertificate) {
  const auto made = make_server_certificate(ca_, {"a,IP:1.2.3.4"}, kNow);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().message, "certificate: name must be a DNS name or an IP address, got \"a,IP:1.2.3.4\"");
  EXPECT_EQ(make_server_certificate(ca_, {}, kNow).error().message, "certificate: needs at least one name");
}

TEST(SigningKey, WhatItSignsIsVerifiedWithItsPublicKey) {
  const std::string pem = *SigningKey::make_pem();
  const auto key = SigningKey::read(pem);
  ASSERT_TRUE(key) << key.error().message;
  const std::string point = key->public_key();
  EXPECT_EQ(point.size(), 65u);
  EXPECT_EQ(SigningKey::read(pem)->public_key(), point);
  // Numbers with leading zeros, which are shorter, appear once in some hundred signatures.
  for (int i = 0; i < 300; ++i) {
    const std::string text = "text " + std::to_string(i);
    const auto signature = key->sign(text);
    ASSERT_TRUE(signature);
    EXPECT_TRUE(net::is_signed_by(point, text, *signature));
    EXPECT_FALSE(net::is_signed_by(point, text + "x", *signature));
  }
  EXPECT_FALSE(SigningKey::read("not pem"));
}

TEST_F(PkiTest, BadPemIsAnErrorNotACrash) {
  EXPECT_THAT(certificate_expiry("not pem").error().message, StartsWith("read certificate: "));
  EXPECT_THAT(make_server_certificate(KeyPair{ca_.certificate_pem, "x"}, {"a"}, kNow).error().message,
              StartsWith("read private key: "));
}

TEST_F(PkiTest, PairThatCannotBeUsedIsNoticed) {
  EXPECT_TRUE(check_pair(ca_));
  EXPECT_TRUE(check_pair(server_));
  EXPECT_FALSE(check_pair({.certificate_pem = ca_.certificate_pem, .key_pem = server_.key_pem}));
  EXPECT_FALSE(check_pair({.certificate_pem = ca_.certificate_pem, .key_pem = ca_.key_pem.substr(0, 60)}));
  EXPECT_FALSE(check_pair({.certificate_pem = "", .key_pem = ca_.key_pem}));
}

}  // namespace
}  // namespace muster::net
