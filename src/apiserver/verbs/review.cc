// Answers clients that ask about themselves. There is one token and it grants everything, so each may do everything.
#include "apiserver/admission/admission.h"
#include "apiserver/http/status_error.h"
#include "apiserver/verbs/verbs.h"

namespace muster::apiserver {
namespace {

using json::Array;
using json::Object;

Object user() {
  return Object{{"username", "muster-admin"}, {"groups", Array{"system:masters", "system:authenticated"}}};
}

Object everything_allowed() {
  Array resource_rules;
  resource_rules.emplace_back(Object{{"verbs", Array{"*"}}, {"apiGroups", Array{"*"}}, {"resources", Array{"*"}}});
  Array other_rules;
  other_rules.emplace_back(Object{{"verbs", Array{"*"}}, {"nonResourceURLs", Array{"*"}}});
  return Object{{"resourceRules", std::move(resource_rules)},
                {"nonResourceRules", std::move(other_rules)},
                {"incomplete", false}};
}

}  // namespace

void answer_review(const ResourceRequest& request, const net::Request& http, Reply reply) {
  const auto parameters = parse_write_parameters(request, http);
  if (!parameters) return reply.fail(parameters.error());
  std::vector<std::string> warnings;
  auto body = read_body(http, warnings);
  if (!body) return reply.fail(body.error());
  auto review = admit_question(*request.resource, *std::move(body), *parameters, warnings);
  if (!review) return reply.fail(review.error());
  for (std::string& warning : warnings) reply.warn(std::move(warning));
  const std::string& kind = request.resource->kind;
  if (kind == "SelfSubjectAccessReview") {
    (*review)["status"] = Object{{"allowed", true}};
  } else if (kind == "SelfSubjectRulesReview") {
    if (review->string_at("spec", "namespace").empty()) return reply.fail(bad_request("no namespace on request"));
    (*review)["status"] = everything_allowed();
  } else {
    CHECK(kind == "SelfSubjectReview");
    (*review)["status"] = Object{{"userInfo", user()}};
  }
  reply.object(201, *request.resource, std::make_shared<const std::string>(json::serialize(*review)));
}

}  // namespace muster::apiserver
