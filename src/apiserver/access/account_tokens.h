// AccountTokens issues the tokens of service accounts and finds out whom a token stands for. A token is worth nothing
// once its account or the pod that it is bound to is gone, even if another one of the same name exists. Loop thread
// only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/access/token.h"
#include "base/ports.h"
#include "base/result.h"
#include "json/document.h"
#include "store/store.h"

namespace muster::apiserver {

struct PodToken {
  std::string token;
  bool automount = true;  // false when the service account says so; the pod may also say so
};

class AccountTokens {
 public:
  /// `key` is secret; without one no token is valid.
  AccountTokens(const Clock& clock, const store::Store& store, std::string key)
      : clock_(clock), store_(store), key_(std::move(key)) {}

  std::string issue(const TokenClaims& claims) const { return sign_token(claims, key_); }
  /// Issues a token that is bound to the pod and stands for its account. NotFound when the account does not exist.
  Result<PodToken> issue_for(const json::Document& pod) const;
  /// Returns nullopt when the token is not ours, has expired, is for another audience, or its account or pod is gone.
  std::optional<ServiceAccount> find(std::string_view token) const;

 private:
  const Clock& clock_;
  const store::Store& store_;
  std::string key_;
};

/// The account that a pod runs as: `spec.serviceAccountName`, or "default".
std::string account_of(const json::Document& pod);

}  // namespace muster::apiserver
