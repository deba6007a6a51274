#include "apiserver/access/token.h"

#include <algorithm>
#include <chrono>

#include "base/sha256.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using json::Array;
using json::Document;
using json::Object;

// Only this header is accepted: a token cannot choose how it is verified.
constexpr std::string_view kHeader = R"({"alg":"HS256","typ":"JWT"})";
constexpr const char* kPrivateClaims = "kubernetes.io";

std::string base64url_encode(std::string_view bytes) {
  std::string text = base64_encode(bytes);
  text.erase(text.find_last_not_of('=') + 1);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::optional<std::string> base64url_decode(std::string_view encoded) {
  std::string text(encoded);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return base64_decode(text);
}

std::int64_t to_seconds(Time time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

Time from_seconds(std::int64_t seconds) {
  return Time(std::chrono::seconds(seconds));
}

Document payload_of(const TokenClaims& claims) {
  const ServiceAccount& account = claims.account;
  Object about{{"namespace", account.ns}, {"serviceaccount", Object{{"name", account.name}, {"uid", account.uid}}}};
  if (!account.pod.empty()) about.append("pod", Object{{"name", account.pod}, {"uid", account.pod_uid}});
  return Object{{"aud", Array(claims.audiences.begin(), claims.audiences.end())},
                {"exp", to_seconds(claims.expires)},
                {"iat", to_seconds(claims.issued)},
                {"iss", kOwnAudience},
                {kPrivateClaims, std::move(about)},
                {"sub", user_name(service_account(account))}};
}

TokenClaims claims_in(const Document& payload) {
  TokenClaims claims;
  claims.account = {.ns = payload.string_at(kPrivateClaims, "namespace"),
                    .name = payload.string_at(kPrivateClaims, "serviceaccount", "name"),
                    .uid = payload.string_at(kPrivateClaims, "serviceaccount", "uid"),
                    .pod = payload.string_at(kPrivateClaims, "pod", "name"),
                    .pod_uid = payload.string_at(kPrivateClaims, "pod", "uid")};
  claims.audiences.clear();
  for (const Document& audience : payload.array_at("aud")) {
    if (audience.is_string()) claims.audiences.push_back(audience.as_string());
  }
  claims.issued = from_seconds(payload.int_at("iat"));
  claims.expires = from_seconds(payload.int_at("exp"));
  return claims;
}

}  // namespace

bool same_secret(std::string_view given, std::string_view expected) {
  unsigned difference = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const char c = i < given.size() ? given[i] : '\0';
    difference |= static_cast<unsigned char>(c) ^ static_cast<unsigned char>(expected[i]);
  }
  return difference == 0;
}

std::string sign_token(const TokenClaims& claims, std::string_view key) {
  std::string text = base64url_encode(kHeader) + "." + base64url_encode(json::serialize(payload_of(claims)));
  return text + "." + base64url_encode(hmac_sha256(key, text));
}

std::optional<TokenClaims> verify_token(std::string_view token, std::string_view key) {
  const std::size_t end = token.rfind('.');
  if (key.empty() || end == std::string_view::npos) return std::nullopt;
  const std::string_view text = token.substr(0, end);
  if (!same_secret(token.substr(end + 1), base64url_encode(hmac_sha256(key, text)))) return std::nullopt;
  const std::string header = base64url_encode(kHeader) + ".";
  if (!text.starts_with(header)) return std::nullopt;
  const auto bytes = base64url_decode(text.substr(header.size()));
  if (!bytes) return std::nullopt;
  const auto payload = json::parse(*bytes);
  if (!payload) return std::nullopt;
  return claims_in(*payload);
}

}  // namespace muster::apiserver
