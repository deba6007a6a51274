#include "web/pages/signed_token.h"

#include <fmt/core.h>

#include "apiserver/access/token.h"
#include "base/sha256.h"
#include "base/strings.h"

namespace muster::web {
namespace {

std::int64_t unix_seconds(Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

std::string signature(const std::string& key, std::string_view purpose, std::string_view expires) {
  return base64_encode(hmac_sha256(key, fmt::format("{} {}", purpose, expires)));
}

}  // namespace

std::string sign_until(const std::string& key, std::string_view purpose, Time expires) {
  const std::string until = std::to_string(unix_seconds(expires));
  return fmt::format("{}.{}", until, signature(key, purpose, until));
}

bool is_signed(const std::string& key, std::string_view purpose, std::string_view token, Time now) {
  const auto dot = token.find('.');
  if (dot == std::string_view::npos || key.empty()) return false;
  const std::string_view expires = token.substr(0, dot);
  const auto until = parse_int(expires);
  return until && *until > unix_seconds(now) &&
         apiserver::same_secret(token.substr(dot + 1), signature(key, purpose, expires));
}

}  // namespace muster::web
