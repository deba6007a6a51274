// serviceaccounts/NAME/token: a token for a service account, as `kubectl create token` asks for it.
#include <fmt/core.h>

#include "api/kubernetes/reviews_v1.h"
#include "apiserver/admission/admission.h"
#include "apiserver/admission/metadata_rules.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/http/body.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/write.h"

namespace muster::apiserver {
namespace {

using json::Document;

/// A TokenRequest is not a resource of its own, but it is decoded and validated like one.
const api::Resource& token_request_kind() {
  static const api::Resource kind{.group = "authentication.k8s.io",
                                  .version = "v1",
                                  .kind = "TokenRequest",
                                  .plural = "tokenrequests",
                                  .built_in = true,
                                  .type = &reflect::type_of<api::TokenRequest>()};
  return kind;
}

/// Finds the pod that the token is to be bound to.
Result<Document> bound_pod(Context& context, const ResourceRequest& request, const Document& reference) {
  const std::string& kind = reference.string_at("kind");
  const std::string& version = reference.string_at("apiVersion");
  if (kind != "Pod" || version != "v1") {
    return bad_request(fmt::format("cannot bind token to object of type {}, Kind={}", version, kind));
  }
  const api::Resource& pods = *api::find_resource("", "v1", "pods");
  ResourceRequest wanted;
  wanted.resource = &pods;
  wanted.ns = request.ns;
  wanted.name = reference.string_at("name");
  TRY_ASSIGN(Current pod, current_object(context, wanted));
  if (account_of(pod.object) != request.name) {
    return bad_request(
        fmt::format("cannot bind token for serviceaccount \"{}\" to pod running with different serviceaccount name.",
                    request.name));
  }
  const std::string& uid = reference.string_at("uid");
  if (!uid.empty() && uid != pod.object.string_at("metadata", "uid")) {
    return conflict(pods, wanted.name,
                    fmt::format("the UID in the bound object reference ({}) does not match the UID in record. The "
                                "object might have been deleted and then recreated",
                                uid));
  }
  return std::move(pod.object);
}

/// Returns the claims of the requested token. A token created with the token of a pod is also bound to that pod.
Result<TokenClaims> claims_for(Context& context, const ResourceRequest& request, const Document& asked) {
  TRY_ASSIGN(const Current account, current_object(context, request));
  // Authentication sees only what is durable, and a token must work as soon as it is handed out.
  if (context.store.get(account.key) == nullptr) return not_found(*request.resource, request.name);
  TokenClaims claims;
  claims.account = {.ns = request.ns, .name = request.name, .uid = account.object.string_at("metadata", "uid")};
  if (const Document* reference = asked.at("spec", "boundObjectRef")) {
    TRY_ASSIGN(const Document pod, bound_pod(context, request, *reference));
    claims.account.pod = pod.string_at("metadata", "name");
    claims.account.pod_uid = pod.string_at("metadata", "uid");
  } else {
    claims.account.pod = request.who.account.pod;
    claims.account.pod_uid = request.who.account.pod_uid;
  }
  const std::vector<std::string> audiences = strings_at(asked, "spec", "audiences");
  if (!audiences.empty()) claims.audiences = audiences;
  claims.issued = context.loop.now();
  claims.expires = claims.issued + std::chrono::seconds(asked.int_at("spec", "expirationSeconds"));
  return claims;
}

}  // namespace

void request_token(Context& context, const AccountTokens& tokens, const ResourceRequest& request,
                   const net::Request& http, Reply reply) {
  const auto parameters = parse_write_parameters(request, http);
  if (!parameters) return reply.fail(parameters.error());
  std::vector<std::string> warnings;
  auto body = read_body(request, http, warnings);
  if (!body) return reply.fail(body.error());
  auto asked = admit_question(token_request_kind(), *std::move(body), *parameters, warnings);
  if (!asked) return reply.fail(asked.error());
  for (std::string& warning : warnings) reply.warn(std::move(warning));
  const auto claims = claims_for(context, request, *asked);
  if (!claims) return reply.fail(claims.error());
  Document& metadata = (*asked)["metadata"];
  metadata["name"] = request.name;
  metadata["namespace"] = request.ns;
  metadata["creationTimestamp"] = format_rfc3339(claims->issued);
  (*asked)["spec"]["audiences"] = json::Array(claims->audiences.begin(), claims->audiences.end());
  (*asked)["status"] = json::Object{{"token", parameters->dry_run ? "" : tokens.issue(*claims)},
                                    {"expirationTimestamp", format_rfc3339(claims->expires)}};
  reply.object(201, token_request_kind(), std::make_shared<const std::string>(json::serialize(*asked)));
}

}  // namespace muster::apiserver
