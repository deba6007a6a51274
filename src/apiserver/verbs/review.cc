// Answers clients that ask about themselves, from the table that decides about their requests.
#include "apiserver/access/authorize.h"
#include "apiserver/admission/admission.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/http/body.h"
#include "apiserver/openapi/discovery.h"
#include "apiserver/verbs/verbs.h"

namespace muster::apiserver {
namespace {

using json::Array;
using json::Document;
using json::Object;

Action action_asked(const Document& spec) {
  if (const Document* path = spec.find("nonResourceAttributes")) {
    return {.verb = path->string_at("verb"), .path = path->string_at("path")};
  }
  const auto text = [&spec](std::string_view key) { return spec.string_at("resourceAttributes", key); };
  return {.verb = text("verb"),
          .group = text("group"),
          .resource = text("resource"),
          .subresource = text("subresource"),
          .ns = text("namespace"),
          .name = text("name")};
}

/// Which of the verbs the principal may use, asked one by one.
Array allowed_verbs(const Principal& who, Action action, const std::vector<std::string>& verbs) {
  Array allowed;
  for (const std::string& verb : verbs) {
    action.verb = verb;
    if (may(who, action)) allowed.emplace_back(verb);
  }
  return allowed;
}

Object resource_rule(Array verbs, const std::string& group, const std::string& resource) {
  return Object{{"verbs", std::move(verbs)}, {"apiGroups", Array{group}}, {"resources", Array{resource}}};
}

/// One rule per resource and subresource that the principal may use in the namespace.
Array resource_rules(const Principal& who, const std::string& ns) {
  Array rules;
  if (may(who, {.verb = "*", .group = "*", .resource = "*"})) {
    rules.emplace_back(resource_rule(Array{"*"}, "*", "*"));
    return rules;
  }
  for (const api::Resource& resource : api::resources()) {
    if (!resource.is_storage) continue;
    const auto add = [&](const std::string& subresource, const std::vector<std::string>& verbs) {
      Action action{.verb = "", .group = resource.group, .resource = resource.plural};
      action.subresource = subresource;
      action.ns = ns;
      Array allowed = allowed_verbs(who, std::move(action), verbs);
      const std::string name = subresource.empty() ? resource.plural : resource.plural + "/" + subresource;
      if (!allowed.empty()) rules.emplace_back(resource_rule(std::move(allowed), resource.group, name));
    };
    add("", resource.verbs);
    for (const Subresource& sub : subresources(resource)) add(sub.name, sub.verbs);
  }
  return rules;
}

Object rules_of(const Principal& who, const std::string& ns) {
  const std::vector<std::string> paths = readable_paths(who);
  Array other;
  for (const std::string& path : paths) {
    other.emplace_back(Object{{"verbs", Array{path == "*" ? "*" : "get"}}, {"nonResourceURLs", Array{path}}});
  }
  return Object{
      {"resourceRules", resource_rules(who, ns)}, {"nonResourceRules", std::move(other)}, {"incomplete", false}};
}

}  // namespace

void answer_review(const ResourceRequest& request, const net::Request& http, Reply reply) {
  const auto parameters = parse_write_parameters(request, http);
  if (!parameters) return reply.fail(parameters.error());
  std::vector<std::string> warnings;
  auto body = read_body(request, http, warnings);
  if (!body) return reply.fail(body.error());
  auto review = admit_question(*request.resource, *std::move(body), *parameters, warnings);
  if (!review) return reply.fail(review.error());
  for (std::string& warning : warnings) reply.warn(std::move(warning));
  const std::string& kind = request.resource->kind;
  if (kind == "SelfSubjectAccessReview") {
    (*review)["status"] = Object{{"allowed", may(request.who, action_asked(*review->find("spec")))}};
  } else if (kind == "SelfSubjectRulesReview") {
    const std::string ns = review->string_at("spec", "namespace");
    if (ns.empty()) return reply.fail(bad_request("no namespace on request"));
    (*review)["status"] = rules_of(request.who, ns);
  } else {
    CHECK(kind == "SelfSubjectReview");
    (*review)["status"] = Object{{"userInfo", user_info(request.who)}};
  }
  reply.object(201, *request.resource, std::make_shared<const std::string>(json::serialize(*review)));
}

}  // namespace muster::apiserver
