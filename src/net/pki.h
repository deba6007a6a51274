// The engine's own certificate authority, created at the first start, the server certificate that it signs, and the key
// with which a server proves to browsers who it is.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ports.h"
#include "base/result.h"

struct evp_pkey_st;

namespace muster::net {

struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;
};

/// Creates an EC P-256 authority, valid for ten years, `CN=muster`.
Result<KeyPair> make_ca(Time now);
/// Creates a certificate for these DNS names and IP addresses, valid for one year.
Result<KeyPair> make_server_certificate(const KeyPair& ca, const std::vector<std::string>& names, Time now);
/// Whether both can be read and belong together.
Status check_pair(const KeyPair& pair);
/// Returns when the certificate expires.
Result<Time> certificate_expiry(const std::string& certificate_pem);

/// An EC P-256 key whose signatures the WebCrypto of browsers verifies (ECDSA with SHA-256).
class SigningKey {
 public:
  /// Creates one, as PEM.
  static Result<std::string> make_pem();
  static Result<SigningKey> read(const std::string& pem);
  /// The uncompressed point, 65 bytes.
  std::string public_key() const;
  /// Returns r and s, 32 bytes each.
  Result<std::string> sign(std::string_view text) const;

 private:
  explicit SigningKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace muster::net
