#include "control/scheduler/node_fit.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "control/scheduler/selectors.h"

namespace muster::control {

namespace {

using json::Document;

std::string selector_mismatch(const Document& spec, const api::Node& node) {
  const Document* selector = spec.find("nodeSelector");
  if (selector == nullptr || !selector->is_object()) return {};
  for (const auto& [key, value] : selector->as_object()) {
    if (!value.is_string()) continue;
    const std::string& wanted = value.as_string();
    const auto label = node.metadata.labels.find(key);
    if (label != node.metadata.labels.end() && label->second == wanted) continue;
    const std::string actual = label == node.metadata.labels.end() ? "no such label" : quote(label->second);
    return fmt::format(
        "spec.nodeSelector: {} must be {}, node {} has {}; remove it or run `kubectl label node {} {}={}`", key,
        quote(wanted), node.metadata.name, actual, node.metadata.name, key, wanted);
  }
  return {};
}

/// Returns the first expression of the term that the node does not match; "" when it matches all.
std::string unmatched_expression(const Document& term, const api::Node& node) {
  const api::StringMap fields = {{"metadata.name", node.metadata.name}};
  const json::Array& by_label = term.array_at("matchExpressions");
  const json::Array& by_field = term.array_at("matchFields");
  if (by_label.empty() && by_field.empty()) return "an empty term, which matches no node";
  for (const Document& expression : by_label) {
    if (!expression_matches(expression, node.metadata.labels)) return expression_text(expression);
  }
  for (const Document& expression : by_field) {
    if (!expression_matches(expression, fields)) return expression_text(expression);
  }
  return {};
}

std::string affinity_mismatch(const Document& spec, const api::Node& node) {
  const Document* required = spec.at("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
  if (required == nullptr) return {};
  std::vector<std::string> unmatched;
  for (const Document& term : required->array_at("nodeSelectorTerms")) {
    std::string expression = unmatched_expression(term, node);
    if (expression.empty()) return {};  // one matching term is enough
    unmatched.push_back(std::move(expression));
  }
  return fmt::format("spec.affinity.nodeAffinity: node {} does not match {}; remove the affinity or label the node",
                     node.metadata.name, join(unmatched, ", nor "));
}

bool tolerates(const Document& toleration, const Document& taint) {
  const std::string& effect = toleration.string_at("effect");
  if (!effect.empty() && effect != taint.string_at("effect")) return false;
  const std::string& key = toleration.string_at("key");
  const bool any_value = toleration.string_at("operator") == "Exists";
  if (key.empty()) return any_value;
  return key == taint.string_at("key") && (any_value || toleration.string_at("value") == taint.string_at("value"));
}

std::string taint_mismatch(const Document& spec, const api::Node& node) {
  const json::Array& tolerations = spec.array_at("tolerations");
  for (const Document& taint : node.spec.rest.array_at("taints")) {
    const std::string& effect = taint.string_at("effect");
    if (effect != "NoSchedule" && effect != "NoExecute") continue;
    if (std::ranges::any_of(tolerations, [&](const Document& t) { return tolerates(t, taint); })) continue;
    return fmt::format(
        "spec.tolerations: node {} has the taint {}={}:{}, which the pod does not tolerate; add a "
        "toleration or remove the taint",
        node.metadata.name, taint.string_at("key"), taint.string_at("value"), effect);
  }
  return {};
}

}  // namespace

std::string node_mismatch(const api::Pod& pod, const api::Node& node) {
  const Document& spec = pod.spec.rest;
  std::string mismatch = selector_mismatch(spec, node);
  if (mismatch.empty()) mismatch = affinity_mismatch(spec, node);
  if (mismatch.empty()) mismatch = taint_mismatch(spec, node);
  return mismatch;
}

}  // namespace muster::control
