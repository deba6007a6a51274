#include "control/scheduler/selectors.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"

namespace muster::control {

namespace {

std::vector<std::string> values_of(const json::Document& expression) {
  std::vector<std::string> values;
  for (const json::Document& value : expression.array_at("values")) {
    if (value.is_string()) values.push_back(value.as_string());
  }
  return values;
}

}  // namespace

bool expression_matches(const json::Document& expression, const api::StringMap& labels) {
  const std::string& op = expression.string_at("operator");
  const std::vector<std::string> values = values_of(expression);
  const auto label = labels.find(expression.string_at("key"));
  const bool exists = label != labels.end();
  const bool is_listed = exists && std::ranges::find(values, label->second) != values.end();
  if (op == "In") return is_listed;
  if (op == "NotIn") return !is_listed;
  if (op == "Exists") return exists;
  if (op == "DoesNotExist") return !exists;
  if ((op != "Gt" && op != "Lt") || !exists || values.size() != 1) return false;
  const auto number = parse_int(label->second);
  const auto bound = parse_int(values.front());
  return number && bound && (op == "Gt" ? *number > *bound : *number < *bound);
}

std::string expression_text(const json::Document& expression) {
  const std::vector<std::string> values = values_of(expression);
  std::string text = expression.string_at("key") + " " + expression.string_at("operator");
  if (!values.empty()) text += " (" + join(values, ", ") + ")";
  return text;
}

bool selector_matches(const api::LabelSelector& selector, const api::StringMap& labels) {
  const auto has_label = [&](const auto& wanted) {
    const auto found = labels.find(wanted.first);
    return found != labels.end() && found->second == wanted.second;
  };
  const json::Array& expressions = selector.rest.array_at("matchExpressions");
  return std::ranges::all_of(selector.match_labels, has_label) &&
         std::ranges::all_of(expressions, [&](const auto& e) { return expression_matches(e, labels); });
}

}  // namespace muster::control
