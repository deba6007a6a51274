// Rules for Deployment, with the messages of Kubernetes.
#include <fmt/core.h>

#include <algorithm>

#include "api/muster/limits.h"
#include "api/rules/check_pod_parts.h"
#include "api/rules/checks.h"
#include "api/rules/findings.h"
#include "api/rules/job_checks.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::api {

namespace {

using json::Document;
using reflect::kRoot;
using reflect::Place;

/// Whether `labels` has every entry of `wanted`.
bool has_labels(const Document* labels, const Document& wanted) {
  for (const auto& [key, value] : wanted.as_object()) {
    const Document* found = labels == nullptr ? nullptr : labels->find(key);
    if (found == nullptr || !(*found == value)) return false;
  }
  return true;
}

bool has_expression(const Document* labels, const Document& wanted) {
  const Document* value = labels == nullptr ? nullptr : labels->find(wanted.string_at("key"));
  const std::string& op = wanted.string_at("operator");
  const json::Array& values = wanted.array_at("values");
  const bool listed = value != nullptr && std::ranges::find(values, *value) != values.end();
  if (op == "In") return listed;
  if (op == "NotIn") return !listed;
  return (op == "Exists") == (value != nullptr);
}

bool matches(const Document& selector, const Document* labels) {
  const Document* wanted = selector.find("matchLabels");
  if (wanted != nullptr && !has_labels(labels, *wanted)) return false;
  return std::ranges::all_of(selector.array_at("matchExpressions"),
                             [&](const Document& expression) { return has_expression(labels, expression); });
}

void check_selector(const Document& spec, const Place& place, Findings& found) {
  const Document* selector = spec.find("selector");
  const Document* labels = spec.at("template", "metadata", "labels");
  const Place at = place.member("selector");
  if (selector == nullptr) {
    found.required(at);
  } else if (selector->as_object().empty()) {
    found.invalid(at, *selector, "empty selector is invalid for deployment");
  } else if (!check_requirements(*selector, SelectorOf::kLabels, at, found)) {
    return found.invalid(at, *selector, "invalid label selector");
  } else if (matches(*selector, labels)) {
    return;
  }
  found.invalid(place.member("template").member("metadata").member("labels"), labels == nullptr ? Document() : *labels,
                "`selector` does not match template `labels`");
}

/// Returns the number in a number of pods or in a percentage; nullopt when the value is neither.
std::optional<std::int64_t> count_or_percent(const Document& value) {
  if (value.is_int()) return value.as_int();
  const std::string text = value.is_string() ? value.as_string() : "";
  const bool right = text.size() > 1 && text.size() < 10 && text.ends_with('%') &&
                     std::all_of(text.begin(), text.end() - 1, [](char c) { return is_digit(c); });
  return right ? std::optional<std::int64_t>(std::stol(text)) : std::nullopt;
}

void check_strategy(const Document& strategy, const Place& place, Findings& found) {
  const Document* rolling = strategy.find("rollingUpdate");
  if (rolling == nullptr) return;
  const Place at = place.member("rollingUpdate");
  if (strategy.string_at("type") == "Recreate") {
    return found.forbidden(at, "may not be specified when strategy `type` is 'Recreate'");
  }
  bool any = false;
  for (const char* key : {"maxUnavailable", "maxSurge"}) {
    const Document* value = rolling->find(key);
    if (value == nullptr) continue;
    const auto count = count_or_percent(*value);
    any = any || !count || *count != 0;
    if (!count) {
      found.invalid(at.member(key), *value,
                    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', "
                    "regex used for validation is '[0-9]+%')");
    } else if (*count < 0) {
      found.invalid(at.member(key), *value, "must be greater than or equal to 0");
    }
  }
  if (!any) {
    found.invalid(at.member("maxUnavailable"), rolling->int_at("maxUnavailable"), "may not be 0 when `maxSurge` is 0");
  }
}

}  // namespace

void check_deployment(const Document& deployment, Findings& found) {
  const Document* spec = deployment.find("spec");
  const Place place = kRoot.member("spec");
  if (spec == nullptr) return found.required("spec.selector");
  found.not_negative(*spec, "replicas", place);
  if (const std::int64_t replicas = spec->int_at("replicas"); replicas > kMaxReplicas) {
    found.invalid(place.member("replicas"), replicas,
                  fmt::format("a deployment may have at most {} replicas, one pod each", kMaxReplicas));
  }
  check_selector(*spec, place, found);
  if (const Document* strategy = spec->find("strategy")) check_strategy(*strategy, place.member("strategy"), found);
  if (spec->int_at("progressDeadlineSeconds") <= spec->int_at("minReadySeconds")) {
    found.invalid(place.member("progressDeadlineSeconds"), spec->int_at("progressDeadlineSeconds"),
                  "must be greater than minReadySeconds");
  }
  if (!check_template_spec(*spec, "spec", found)) return;
  // Kubernetes omits "metadata" from the paths of the next two messages.
  found.labels(spec->at("template", "metadata", "labels"), place.member("template.labels"));
  found.annotations(spec->at("template", "metadata", "annotations"), place.member("template.annotations"));
  const Place pod = place.member("template.spec");
  const std::string& restart = spec->string_at("template", "spec", "restartPolicy");
  if (!restart.empty() && restart != "Always") found.not_supported(pod.member("restartPolicy"), restart, {"Always"});
}

}  // namespace muster::api
