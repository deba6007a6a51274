// Verifies what a server signs as the WebCrypto of a browser does.
#pragma once

#include <string>

namespace muster::net {

/// `key` is an uncompressed point of P-256, `signature` is r and s.
bool is_signed_by(std::string key, const std::string& text, const std::string& signature);

}  // namespace muster::net
