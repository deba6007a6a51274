// Rules for ResourceQuota: which names it can count, and which scopes fit together.
#include <algorithm>
#include <array>
#include <map>

#include "api/rules/check_pod_parts.h"
#include "api/rules/checks.h"
#include "base/quantity.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::api {
namespace {

constexpr std::array<std::string_view, 8> kCounts = {
    "pods",    "services",   "replicationcontrollers", "resourcequotas",
    "secrets", "configmaps", "persistentvolumeclaims", "services.nodeports",
};
constexpr std::array<std::string_view, 12> kAmounts = {"cpu",
                                                       "memory",
                                                       "ephemeral-storage",
                                                       "requests.cpu",
                                                       "requests.memory",
                                                       "requests.storage",
                                                       "requests.ephemeral-storage",
                                                       "limits.cpu",
                                                       "limits.memory",
                                                       "limits.ephemeral-storage",
                                                       "services.loadbalancers",
                                                       "storage"};
constexpr std::array<std::string_view, 6> kPodAmounts = {
    "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"};
constexpr std::array<std::string_view, 6> kScopes = {"Terminating",   "NotTerminating", "BestEffort",
                                                     "NotBestEffort", "PriorityClass",  "CrossNamespacePodAffinity"};

template <typename List>
bool holds(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool is_count(std::string_view name) {
  return holds(kCounts, name) || name == "services.loadbalancers" || name.starts_with("count/");
}

}  // namespace

bool is_standard_resource(std::string_view name) {
  return holds(kCounts, name) || holds(kAmounts, name) || name.starts_with("hugepages-") ||
         name.starts_with("requests.hugepages-");
}

namespace {

void check_hard(const json::Document& hard, Findings& found) {
  std::map<std::string, std::string> sorted;
  for (const json::Member& item : hard.as_object()) {
    sorted[item.key] = item.value.is_string() ? item.value.as_string() : json::serialize(item.value);
  }
  for (const auto& [name, text] : sorted) {
    const std::string path = "spec.hard[" + name + "]";
    if (!is_standard_resource(name) && name.find('/') == std::string::npos) {
      found.invalid(path, name, "must be a standard resource type or fully qualified");
      found.invalid(path, name, "must be a standard resource for quota");
    }
    const auto amount = Quantity::parse(text);
    if (!amount) continue;  // the schema reports it
    if (*amount < Quantity()) found.invalid(path, text, "must be greater than or equal to 0");
    if (is_count(name) && Quantity::of(amount->value()) != *amount) found.invalid(path, text, "must be an integer");
  }
}

/// True when a quota with this scope can count the resource: for pods without requests and limits, only their number.
/// Resources with other names (count/…, an extended resource) are not checked.
bool fits_scope(std::string_view scope, std::string_view resource) {
  if (resource == "pods" || !is_standard_resource(resource)) return true;
  return scope != "BestEffort" && holds(kPodAmounts, resource);
}

/// Checks what holds for scopes in either spelling; problems are reported at `field` with `value`.
void check_together(const std::vector<std::string>& scopes, const json::Document* hard, const char* field,
                    const json::Document& value, Findings& found) {
  for (const std::string& scope : scopes) {
    if (!holds(kScopes, scope) || hard == nullptr) continue;
    for (const json::Member& item : hard->as_object()) {
      if (fits_scope(scope, item.key)) continue;
      found.invalid(field, value, "unsupported scope applied to resource");
    }
  }
  const auto both = [&](std::string_view a, std::string_view b) { return holds(scopes, a) && holds(scopes, b); };
  if (both("BestEffort", "NotBestEffort") || both("Terminating", "NotTerminating")) {
    found.invalid(field, value, "conflicting scopes");
  }
}

void check_scopes(const json::Document& scopes, const json::Document* hard, Findings& found) {
  std::vector<std::string> given;
  for (const json::Document& scope : scopes.as_array()) given.push_back(scope.as_string());
  const std::string text = "[" + join(given, ", ") + "]";
  for (const std::string& scope : given) {
    if (!holds(kScopes, scope)) found.invalid("spec.scopes", text, "unsupported scope");
  }
  check_together(given, hard, "spec.scopes", text, found);
}

void check_expression(const json::Document& expression, Findings& found) {
  const std::string at = "spec.scopeSelector.matchExpressions";  // Kubernetes reports no index here
  const std::string& scope = expression.string_at("scopeName");
  const std::string& op = expression.string_at("operator");
  const json::Document* values = expression.find("values");
  const bool lists = op == "In" || op == "NotIn";
  const bool empty = expression.array_at("values").empty();
  if (!holds(kScopes, scope)) found.invalid(at + ".scopeName", scope, "unsupported scope");
  if (holds(kScopes, scope) && scope != "PriorityClass" && op != "Exists") {
    found.invalid(at + ".operator", op, "must be 'Exists' for any scope but PriorityClass");
  }
  if (!lists && op != "Exists" && op != "DoesNotExist") {
    found.invalid(at + ".operator", op, "not a valid selector operator");
  } else if (lists && empty) {
    found.required(at + ".values", "must be at least one value for 'In' and 'NotIn'");
  } else if (!lists && !empty) {
    found.invalid(at + ".values", *values, "must be none for 'Exists' and 'DoesNotExist'");
  }
}

void check_selector(const json::Document& selector, const json::Document* hard, Findings& found) {
  std::vector<std::string> scopes;
  for (const json::Document& expression : selector.array_at("matchExpressions")) {
    check_expression(expression, found);
    scopes.push_back(expression.string_at("scopeName"));
  }
  check_together(scopes, hard, "spec.scopeSelector.matchExpressions", selector.array_at("matchExpressions"), found);
}

}  // namespace

void check_resource_quota(const json::Document& quota, Findings& found) {
  const json::Document* hard = quota.at("spec", "hard");
  if (hard != nullptr) check_hard(*hard, found);
  if (const json::Document* scopes = quota.at("spec", "scopes")) check_scopes(*scopes, hard, found);
  if (const json::Document* selector = quota.at("spec", "scopeSelector")) check_selector(*selector, hard, found);
}

}  // namespace muster::api
