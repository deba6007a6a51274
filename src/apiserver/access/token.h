// Tokens of service accounts: JSON Web Tokens with the claims that a kube-apiserver writes, signed with HMAC-SHA256 by
// a key that never leaves the engine. So they need not be stored, and only this engine can verify them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/principal.h"
#include "base/time.h"

namespace muster::apiserver {

/// The audience of tokens for this server; a token for somebody else opens nothing here.
inline constexpr const char* kOwnAudience = "https://kubernetes.default.svc.cluster.local";

struct TokenClaims {
  ServiceAccount account;
  std::vector<std::string> audiences = {kOwnAudience};
  Time issued = {};
  Time expires = {};
};

std::string sign_token(const TokenClaims& claims, std::string_view key);
/// Returns nullopt for a token that was not signed with this key. An empty key verifies nothing. Whether the token has
/// expired is for the caller to decide.
std::optional<TokenClaims> verify_token(std::string_view token, std::string_view key);

/// Compares every byte even after a difference, so that the duration reveals nothing about the secret.
bool same_secret(std::string_view given, std::string_view expected);

}  // namespace muster::apiserver
