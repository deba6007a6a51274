#include "net/pki.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>
#include <memory>

#include "base/strings.h"

namespace muster::net {
namespace {

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Bio = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using BigNumber = std::unique_ptr<BIGNUM, Deleter<BN_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Deleter<ECDSA_SIG_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Deleter<EVP_MD_CTX_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;

// The clocks of two machines differ slightly; a new certificate must not appear to be from the future.
constexpr auto kBackdate = std::chrono::minutes(5);
constexpr auto kCaLife = std::chrono::hours(24 * 3650);
constexpr auto kServerLife = std::chrono::hours(24 * 365);

Error openssl_error(const std::string& what) {
  std::array<char, 256> buffer{};
  ERR_error_string_n(ERR_get_error(), buffer.data(), buffer.size());
  ERR_clear_error();
  return Error{.reason = Reason::kInternalError, .message = what + ": " + buffer.data()};
}

std::time_t seconds(Time t) {
  return std::chrono::duration_cast<std::chrono::seconds>(t.time_since_epoch()).count();
}

std::string text_of(const Bio& bio) {
  char* start = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &start);
  return std::string(start, static_cast<std::size_t>(length));
}

Result<std::string> key_to_pem(const Key& key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return openssl_error("write private key");
  }
  return text_of(bio);
}

Result<KeyPair> to_pem(const Certificate& certificate, const Key& key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(bio.get(), certificate.get()) != 1) return openssl_error("write certificate");
  TRY_ASSIGN(std::string key_pem, key_to_pem(key));
  return KeyPair{.certificate_pem = text_of(bio), .key_pem = std::move(key_pem)};
}

Result<Certificate> read_certificate(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (certificate == nullptr) return openssl_error("read certificate");
  return certificate;
}

Result<Key> read_key(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  if (key == nullptr) return openssl_error("read private key");
  return key;
}

bool set_random_serial(X509* certificate) {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return false;
  bytes[0] &= 0x7f;  // serial numbers are positive
  const BigNumber number(BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  return number != nullptr && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

struct Wanted {
  std::string common_name;
  Time now;
  Duration life;
  std::vector<std::pair<int, std::string>> extensions;
};

/// `issuer` is null for a self-signed certificate.
Result<KeyPair> issue(const Wanted& wanted, X509* issuer, EVP_PKEY* issuer_key) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  if (key == nullptr || certificate == nullptr) return openssl_error("make certificate");
  X509* made = certificate.get();
  X509_NAME* name = X509_get_subject_name(made);
  const auto* common_name = reinterpret_cast<const unsigned char*>(wanted.common_name.c_str());
  bool good = X509_set_version(made, X509_VERSION_3) == 1 && set_random_serial(made) &&
              X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, common_name, -1, -1, 0) == 1 &&
              X509_set_issuer_name(made, issuer == nullptr ? name : X509_get_subject_name(issuer)) == 1 &&
              ASN1_TIME_set(X509_getm_notBefore(made), seconds(wanted.now - kBackdate)) != nullptr &&
              ASN1_TIME_set(X509_getm_notAfter(made), seconds(wanted.now + wanted.life)) != nullptr &&
              X509_set_pubkey(made, key.get()) == 1;
  for (const auto& [nid, value] : wanted.extensions) {
    good = good && add_extension(made, issuer == nullptr ? made : issuer, nid, value);
  }
  good = good && X509_sign(made, issuer_key == nullptr ? key.get() : issuer_key, EVP_sha256()) != 0;
  if (!good) return openssl_error("make certificate");
  return to_pem(certificate, key);
}

bool is_ip(const std::string& name) {
  std::array<unsigned char, 16> buffer{};
  return ::inet_pton(AF_INET, name.c_str(), buffer.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), buffer.data()) == 1;
}

/// OpenSSL parses the extension's value as a comma-separated list, so a name with a comma would inject further entries.
Result<std::string> alternative_names(const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    if (is_ip(name)) {
      parts.push_back("IP:" + name);
    } else if (is_dns_subdomain(name)) {
      parts.push_back("DNS:" + name);
    } else {
      return Error{.reason = Reason::kBadRequest,
                   .message = "certificate: name must be a DNS name or an IP address, got " + quote(name)};
    }
  }
  if (parts.empty()) return Error{.reason = Reason::kBadRequest, .message = "certificate: needs at least one name"};
  return join(parts, ",");
}

}  // namespace

Result<KeyPair> make_ca(Time now) {
  return issue(Wanted{.common_name = "muster",
                      .now = now,
                      .life = kCaLife,
                      .extensions = {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                                     {NID_key_usage, "critical,keyCertSign,cRLSign"},
                                     {NID_subject_key_identifier, "hash"}}},
               nullptr, nullptr);
}

Result<KeyPair> make_server_certificate(const KeyPair& ca, const std::vector<std::string>& names, Time now) {
  TRY_ASSIGN(const Certificate issuer, read_certificate(ca.certificate_pem));
  TRY_ASSIGN(const Key issuer_key, read_key(ca.key_pem));
  TRY_ASSIGN(const std::string alternatives, alternative_names(names));
  return issue(Wanted{.common_name = "muster server",
                      .now = now,
                      .life = kServerLife,
                      .extensions = {{NID_basic_constraints, "critical,CA:FALSE"},
                                     {NID_key_usage, "critical,digitalSignature"},
                                     {NID_ext_key_usage, "serverAuth"},
                                     {NID_subject_key_identifier, "hash"},
                                     {NID_authority_key_identifier, "keyid:always"},
                                     {NID_subject_alt_name, alternatives}}},
               issuer.get(), issuer_key.get());
}

Status check_pair(const KeyPair& pair) {
  TRY_ASSIGN(const Certificate certificate, read_certificate(pair.certificate_pem));
  TRY_ASSIGN(const Key key, read_key(pair.key_pem));
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return openssl_error("match the key with the certificate");
  }
  return ok();
}

Result<Time> certificate_expiry(const std::string& certificate_pem) {
  TRY_ASSIGN(const Certificate certificate, read_certificate(certificate_pem));
  std::tm parts{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &parts) != 1) return openssl_error("read certificate");
  return Time(std::chrono::seconds(::timegm(&parts)));
}

Result<std::string> SigningKey::make_pem() {
  const Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) return openssl_error("make signing key");
  return key_to_pem(key);
}

Result<SigningKey> SigningKey::read(const std::string& pem) {
  TRY_ASSIGN(Key key, read_key(pem));
  if (EVP_PKEY_is_a(key.get(), "EC") != 1 || EVP_PKEY_get_bits(key.get()) != 256) {
    return Error{.reason = Reason::kBadRequest, .message = "signing key: must be an EC P-256 key"};
  }
  return SigningKey(std::move(key));
}

std::string SigningKey::public_key() const {
  unsigned char* point = nullptr;
  const std::size_t size = EVP_PKEY_get1_encoded_public_key(key_.get(), &point);
  std::string bytes(reinterpret_cast<const char*>(point), size);
  OPENSSL_free(point);
  return bytes;
}

Result<std::string> SigningKey::sign(std::string_view text) const {
  constexpr int kNumberBytes = 32;
  const DigestContext context(EVP_MD_CTX_new());
  std::array<unsigned char, 80> der{};  // at most 72 bytes for this curve
  std::size_t size = der.size();
  if (context == nullptr || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), der.data(), &size, reinterpret_cast<const unsigned char*>(text.data()),
                     text.size()) != 1) {
    return openssl_error("sign");
  }
  const unsigned char* at = der.data();
  const Signature signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(size)));
  std::array<unsigned char, std::size_t{2} * kNumberBytes> raw{};
  if (signature == nullptr || BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), raw.data(), kNumberBytes) < 0 ||
      BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), raw.data() + kNumberBytes, kNumberBytes) < 0) {
    return openssl_error("sign");
  }
  return std::string(raw.begin(), raw.end());
}

}  // namespace muster::net
