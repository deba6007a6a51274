// The engine's own certificate authority, created at the first start, and the server certificate that it signs.
#pragma once

#include <string>
#include <vector>

#include "base/ports.h"
#include "base/result.h"

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

}  // namespace muster::net
