#include "apiserver/access/authorize.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/resource.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

enum class Answer { kAllow, kRefuse };
enum class Where {
  kAnywhere,
  kOwnNamespace,        // objects in the account's namespace
  kOwnNamespaceObject,  // the Namespace itself
  kOwnAccount,          // the ServiceAccount itself
};

struct Rule {
  Principal::Kind who;  // and whoever is above: an owner may do what a stranger may
  Answer answer;
  std::string_view verbs;  // separated by spaces; "*" is every verb
  std::string_view what;   // "pods", "pods/status", "/version", "/apis/*"; "*" is everything
  Where where;
};

using enum Principal::Kind;
using enum Answer;
using enum Where;

/// The first rule that matches decides; without one the request is refused. Refusals come after the narrower rule that
/// they are the rest of, and before the wider rule that they are an exception from.
constexpr Rule kRules[] = {
    {kOwner, kAllow, "*", "*", kAnywhere},

    {kStranger, kAllow, "get", "/healthz", kAnywhere},
    {kStranger, kAllow, "get", "/livez", kAnywhere},
    {kStranger, kAllow, "get", "/readyz", kAnywhere},

    {kServiceAccount, kAllow, "get", "/version", kAnywhere},
    {kServiceAccount, kAllow, "get", "/api", kAnywhere},
    {kServiceAccount, kAllow, "get", "/api/*", kAnywhere},
    {kServiceAccount, kAllow, "get", "/apis", kAnywhere},
    {kServiceAccount, kAllow, "get", "/apis/*", kAnywhere},
    {kServiceAccount, kAllow, "get", "/openapi/*", kAnywhere},

    {kServiceAccount, kAllow, "create", "selfsubjectreviews.authentication.k8s.io", kAnywhere},
    {kServiceAccount, kAllow, "create", "selfsubjectaccessreviews.authorization.k8s.io", kAnywhere},
    {kServiceAccount, kAllow, "create", "selfsubjectrulesreviews.authorization.k8s.io", kAnywhere},

    {kServiceAccount, kAllow, "get", "namespaces", kOwnNamespaceObject},
    // The node's view of a pod is the agent's record of what it started, and a binding is the scheduler's decision.
    {kServiceAccount, kAllow, "get", "pods/status", kOwnNamespace},
    {kServiceAccount, kRefuse, "*", "pods/status", kAnywhere},
    {kServiceAccount, kRefuse, "*", "pods/binding", kAnywhere},
    {kServiceAccount, kAllow, "create", "serviceaccounts/token", kOwnAccount},
    {kServiceAccount, kRefuse, "*", "serviceaccounts/token", kAnywhere},
    {kServiceAccount, kAllow, "*", "*", kOwnNamespace},
};

bool concerns(const Rule& rule, const Principal& principal) {
  return principal.kind >= rule.who;
}

/// "pods/log", "pytorchjobs.kubeflow.org".
std::string resource_text(const Action& action) {
  std::string text = action.resource;
  if (!action.group.empty()) text += "." + action.group;
  if (!action.subresource.empty()) text += "/" + action.subresource;
  return text;
}

bool is_path(std::string_view what) {
  return what.starts_with('/');
}

bool covers(const Rule& rule, const Action& action) {
  if (rule.verbs != "*" && !std::ranges::count(split(rule.verbs, ' '), action.verb)) return false;
  if (rule.what == "*") return true;
  if (is_path(rule.what) == action.path.empty()) return false;
  if (!is_path(rule.what)) return rule.what == resource_text(action);
  const bool below = rule.what.ends_with("/*");
  return below ? action.path.starts_with(rule.what.substr(0, rule.what.size() - 1)) : rule.what == action.path;
}

/// A review may name a namespace for a resource that has none.
bool is_cluster_scoped(const Action& action) {
  return std::ranges::any_of(api::resources(), [&](const api::Resource& resource) {
    return resource.scope == api::Scope::kCluster && resource.group == action.group &&
           resource.plural == action.resource;
  });
}

bool applies_at(Where where, const Principal& principal, const Action& action) {
  if (where == kAnywhere) return true;
  const ServiceAccount& account = principal.account;
  if (where == kOwnNamespaceObject) return action.name == account.ns;
  // An action over all namespaces has an empty one, and so have principals that are not accounts.
  const bool inside = !action.ns.empty() && action.ns == account.ns && !is_cluster_scoped(action);
  return inside && (where == kOwnNamespace || action.name == account.name);
}

/// The same sentence as a kube-apiserver's.
std::string refusal(const Principal& principal, const Action& action) {
  const std::string user = user_name(principal);
  if (!action.path.empty()) {
    return fmt::format("User \"{}\" cannot {} path \"{}\"", user, action.verb, action.path);
  }
  const std::string resource =
      action.subresource.empty() ? action.resource : action.resource + "/" + action.subresource;
  const std::string where =
      action.ns.empty() ? "at the cluster scope" : fmt::format("in the namespace \"{}\"", action.ns);
  return fmt::format("User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {}", user, action.verb, resource,
                     action.group, where);
}

}  // namespace

Action action_at(std::string_view method, std::string_view target) {
  // HEAD is a GET whose body is not sent.
  return {.verb = method == "HEAD" ? "get" : to_lower(method), .path = std::string(target.substr(0, target.find('?')))};
}

bool may(const Principal& principal, const Action& action) {
  const auto rule = std::ranges::find_if(kRules, [&](const Rule& one) {
    return concerns(one, principal) && covers(one, action) && applies_at(one.where, principal, action);
  });
  return rule != std::end(kRules) && rule->answer == kAllow;
}

Status check_access(const Principal& principal, const Action& action) {
  if (may(principal, action)) return ok();
  Error error;
  error.reason = Reason::kForbidden;
  error.group = action.group;
  error.kind = action.resource;
  error.name = action.name;
  const std::string qualified = action.group.empty() ? action.resource : action.resource + "." + action.group;
  const std::string object = action.name.empty() ? qualified : fmt::format("{} \"{}\"", qualified, action.name);
  error.message = (action.path.empty() ? object + " is forbidden: " : "forbidden: ") + refusal(principal, action);
  return error;
}

std::vector<std::string> readable_paths(const Principal& principal) {
  std::vector<std::string> paths;
  for (const Rule& rule : kRules) {
    if (!concerns(rule, principal) || rule.where != kAnywhere) continue;
    if (rule.what == "*") return {"*"};
    if (is_path(rule.what)) paths.emplace_back(rule.what);
  }
  return paths;
}

}  // namespace muster::apiserver
