#include "base/sha256.h"

#include <fmt/core.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <array>
#include <span>

#include "base/check.h"

namespace muster {

namespace {

std::string hex_of(std::span<const unsigned char> digest) {
  std::string hex;
  for (const unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  ::SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return hex_of(digest);
}

std::string md5_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  CHECK(::EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, ::EVP_md5(), nullptr) == 1);
  return hex_of(std::span(digest).first(size));
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  std::string mac(SHA256_DIGEST_LENGTH, '\0');
  ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(bytes.data()),
         bytes.size(), reinterpret_cast<unsigned char*>(mac.data()), nullptr);
  return mac;
}

}  // namespace muster
