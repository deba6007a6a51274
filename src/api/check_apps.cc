// Rules of Deployment, in Kubernetes' words.
#include "api/checks.h"
#include "api/job_checks.h"
#include "reflect/causes.h"

namespace muster::api {

namespace {

/// Whether labels have every matchLabels entry. Expressions are not looked at here.
bool has_labels(const json::Document* labels, const json::Document& wanted) {
  for (const auto& [key, value] : wanted.as_object()) {
    const json::Document* found = labels == nullptr ? nullptr : labels->find(key);
    if (found == nullptr || !(*found == value)) return false;
  }
  return true;
}

void check_selector(const json::Document& spec, std::vector<FieldCause>& causes) {
  const json::Document* selector = spec.find("selector");
  const json::Document* labels = spec.at("template", "metadata", "labels");
  if (selector == nullptr) {
    causes.push_back(reflect::required_cause("spec.selector"));
  } else if (selector->as_object().empty()) {
    causes.push_back(reflect::invalid_cause("spec.selector", *selector, "empty selector is invalid for deployment"));
  }
  const json::Document* wanted = selector == nullptr ? nullptr : selector->find("matchLabels");
  const bool matches =
      selector != nullptr && !selector->as_object().empty() && (wanted == nullptr || has_labels(labels, *wanted));
  if (matches) return;
  causes.push_back(reflect::invalid_cause("spec.template.metadata.labels",
                                          labels == nullptr ? json::Document() : *labels,
                                          "`selector` does not match template `labels`"));
}

}  // namespace

std::vector<FieldCause> check_deployment(const json::Document& deployment) {
  std::vector<FieldCause> causes;
  const json::Document* spec = deployment.find("spec");
  if (spec == nullptr) return {reflect::required_cause("spec.selector")};
  if (spec->int_at("replicas") < 0) {
    causes.push_back(
        reflect::invalid_cause("spec.replicas", spec->int_at("replicas"), "must be greater than or equal to 0"));
  }
  check_selector(*spec, causes);
  if (!check_template(*spec, "spec", causes)) return causes;
  const std::string& restart = spec->string_at("template", "spec", "restartPolicy");
  if (!restart.empty() && restart != "Always") {
    causes.push_back(reflect::not_supported_cause("spec.template.spec.restartPolicy", restart, {"Always"}));
  }
  return causes;
}

}  // namespace muster::api
