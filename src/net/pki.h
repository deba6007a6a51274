// The engine's own certificate authority, made at first start, and the server certificate it signs.
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

/// EC P-256, valid ten years, `CN=muster`.
Result<KeyPair> make_ca(Time now);
/// For these DNS names and IP addresses, valid one year.
Result<KeyPair> make_server_certificate(const KeyPair& ca, const std::vector<std::string>& names, Time now);
/// When the certificate stops being valid.
Result<Time> certificate_expiry(const std::string& certificate_pem);

}  // namespace muster::net
