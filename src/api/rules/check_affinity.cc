// Checks the requirements of selectors and the affinity of pods.
#include "api/rules/check_pod_parts.h"
#include "api/rules/rule_texts.h"
#include "base/strings.h"

namespace muster::api {
namespace {

using json::Document;
using reflect::Place;

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void check_weight(const Document& preference, const Place& at, Findings& found) {
  const std::int64_t weight = preference.int_at("weight");
  if (weight < 1 || weight > 100) found.invalid(at.member("weight"), weight, "must be in the range 1-100");
}

void check_node_affinity(const Document& affinity, const Place& place, Findings& found) {
  const auto check_term = [&](const Document& term, const Place& at) {
    check_requirements(term, SelectorOf::kNodes, at, found);
  };
  if (const Document* required = affinity.find(kRequired)) {
    const Place required_at = place.member(kRequired);
    if (required->array_at("nodeSelectorTerms").empty()) {
      found.required(required_at.member("nodeSelectorTerms"), "must have at least one node selector term");
    }
    visit_items(*required, "nodeSelectorTerms", required_at, check_term);
  }
  visit_items(affinity, kPreferred, place, [&](const Document& preference, const Place& at) {
    check_weight(preference, at, found);
    if (const Document* term = preference.find("preference")) check_term(*term, at.member("preference"));
  });
}

void check_pod_term(const Document& term, const Place& at, Findings& found) {
  const std::string& key = term.string_at("topologyKey");
  if (key.empty()) found.required(at.member("topologyKey"), "can not be empty");
  if (!key.empty()) found.qualified_name(key, at.member("topologyKey"));
  if (const Document* selector = term.find("labelSelector")) {
    check_requirements(*selector, SelectorOf::kLabels, at.member("labelSelector"), found);
  }
}

void check_pod_affinity(const Document& affinity, const Place& place, Findings& found) {
  visit_items(affinity, kRequired, place,
              [&](const Document& term, const Place& at) { check_pod_term(term, at, found); });
  visit_items(affinity, kPreferred, place, [&](const Document& preference, const Place& at) {
    check_weight(preference, at, found);
    if (const Document* term = preference.find("podAffinityTerm")) {
      check_pod_term(*term, at.member("podAffinityTerm"), found);
    }
  });
}

/// Returns true when the requirement can be evaluated.
bool check_requirement(const Document& requirement, SelectorOf of, const Place& at, Findings& found) {
  const std::string& op = requirement.string_at("operator");
  const std::size_t values = requirement.array_at("values").size();
  if (op == "In" || op == "NotIn") {
    if (values == 0) found.required(at.member("values"), "must be specified when `operator` is 'In' or 'NotIn'");
    return values != 0;
  }
  if (op == "Exists" || op == "DoesNotExist") {
    if (values != 0) {
      found.forbidden(at.member("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
    return values == 0;
  }
  if (of == SelectorOf::kNodes && (op == "Gt" || op == "Lt")) {
    if (values != 1) {
      found.required(at.member("values"), "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
    return values == 1;
  }
  found.invalid(at.member("operator"), op, "not a valid selector operator");
  return false;
}

}  // namespace

bool check_requirements(const Document& selector, SelectorOf of, const Place& place, Findings& found) {
  bool right = true;
  visit_items(selector, "matchExpressions", place, [&](const Document& requirement, const Place& at) {
    right = check_requirement(requirement, of, at, found) && right;
  });
  return right;
}

void check_affinity(const Document& spec, const Place& place, Findings& found) {
  const Document* affinity = spec.find("affinity");
  if (affinity == nullptr) return;
  const Place at = place.member("affinity");
  if (const Document* nodes = affinity->find("nodeAffinity")) {
    check_node_affinity(*nodes, at.member("nodeAffinity"), found);
  }
  for (const char* key : {"podAffinity", "podAntiAffinity"}) {
    if (const Document* pods = affinity->find(key)) check_pod_affinity(*pods, at.member(key), found);
  }
}

}  // namespace muster::api
