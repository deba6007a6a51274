// Kubernetes' selectors over the labels of nodes and namespaces.
#pragma once

#include <string>

#include "api/kubernetes/meta_v1.h"
#include "json/document.h"

namespace muster::control {

/// Evaluates one of matchExpressions: {key, operator, values}. The operators are In, NotIn, Exists, DoesNotExist, and
/// for nodes Gt and Lt; an unknown one matches nothing.
bool expression_matches(const json::Document& expression, const api::StringMap& labels);
/// Returns the expression for users: "gpu In (a100, h100)".
std::string expression_text(const json::Document& expression);
/// An empty selector matches everything.
bool selector_matches(const api::LabelSelector& selector, const api::StringMap& labels);

}  // namespace muster::control
