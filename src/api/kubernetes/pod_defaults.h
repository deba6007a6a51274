// Sets the default values of pods in the document itself, as Kubernetes does. Pure functions.
#pragma once

#include <string_view>

#include "json/document.h"

namespace muster::api {

/// Sets the member if it is absent.
void default_member(json::Document& object, std::string_view key, json::Document value);
/// Returns the member, creating it if it is absent; null when it is not an object.
json::Document* object_member(json::Document& object, std::string_view key);

void default_pod(json::Document& pod);
/// For the template of a deployment. Defaults that only pods have are set later, in the pods made from it.
void default_pod_template(json::Document& pod_template);

}  // namespace muster::api
