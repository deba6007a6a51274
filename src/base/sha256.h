// SHA-256, for names and tags that are functions of longer texts, and for signatures; MD5, for names that others make
// with it.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// The digest as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);
/// The digest as 32 lower-case hex digits. Not for anything that somebody might forge.
std::string md5_hex(std::string_view bytes);
/// HMAC-SHA256 (RFC 2104), 32 bytes.
std::string hmac_sha256(std::string_view key, std::string_view bytes);

}  // namespace muster
