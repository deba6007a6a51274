#include "apiserver/access/account_tokens.h"

#include <algorithm>

#include "api/resource.h"
#include "apiserver/errors/status_error.h"
#include "json/excerpt.h"

namespace muster::apiserver {
namespace {

// A pod's token is written once, when its containers start, so it must last as long as the longest job.
constexpr Duration kPodTokenLife = std::chrono::days(366);

bool exists(const store::Store& store, const store::Key& key, const std::string& uid) {
  static const json::Excerpt kUid({"metadata.uid"});
  const store::Entry* entry = store.get(key);
  if (entry == nullptr) return false;
  const auto found = kUid.read(*entry->bytes);
  return found && !uid.empty() && found->string_at("metadata", "uid") == uid;
}

}  // namespace

Result<PodToken> AccountTokens::issue_for(const json::Document& pod) const {
  const api::Resource& accounts = *api::find_resource("", "v1", "serviceaccounts");
  TokenClaims claims;
  claims.account = {.ns = pod.string_at("metadata", "namespace"),
                    .name = account_of(pod),
                    .uid = {},
                    .pod = pod.string_at("metadata", "name"),
                    .pod_uid = pod.string_at("metadata", "uid")};
  const store::Entry* entry = store_.get({"serviceaccounts", claims.account.ns, claims.account.name});
  if (entry == nullptr) return not_found(accounts, claims.account.name);
  TRY_ASSIGN(const json::Document account, json::parse(*entry->bytes));
  claims.account.uid = account.string_at("metadata", "uid");
  claims.issued = clock_.now();
  claims.expires = claims.issued + kPodTokenLife;
  const json::Document* automount = account.find("automountServiceAccountToken");
  const bool declines = automount != nullptr && automount->is_bool() && !automount->as_bool();
  return PodToken{.token = issue(claims), .automount = !declines};
}

std::optional<ServiceAccount> AccountTokens::find(std::string_view token) const {
  auto claims = verify_token(token, key_);
  if (!claims || clock_.now() >= claims->expires) return std::nullopt;
  if (std::ranges::find(claims->audiences, kOwnAudience) == claims->audiences.end()) return std::nullopt;
  const ServiceAccount& account = claims->account;
  if (!exists(store_, {"serviceaccounts", account.ns, account.name}, account.uid)) return std::nullopt;
  const bool bound = !account.pod.empty();
  if (bound && !exists(store_, {"pods", account.ns, account.pod}, account.pod_uid)) return std::nullopt;
  return std::move(claims->account);
}

std::string account_of(const json::Document& pod) {
  const std::string& given = pod.string_at("spec", "serviceAccountName");
  return given.empty() ? "default" : given;
}

}  // namespace muster::apiserver
