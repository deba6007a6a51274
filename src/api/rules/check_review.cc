// Rules for the questions about rights.
#include "api/rules/checks.h"

namespace muster::api {

void check_self_subject_access_review(const json::Document& review, Findings& found) {
  const bool resource = review.at("spec", "resourceAttributes") != nullptr;
  const bool other = review.at("spec", "nonResourceAttributes") != nullptr;
  if (resource && other) {
    found.add({"FieldValueInvalid",
               "Invalid value: " + json::serialize(*review.at("spec", "nonResourceAttributes")) +
                   ": cannot be specified in combination with resourceAttributes",
               "spec.nonResourceAttributes"});
  }
  if (!resource && !other) {
    found.invalid("spec.resourceAttributes", json::Document(),
                  "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  }
}

}  // namespace muster::api
