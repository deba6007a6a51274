// What Kubernetes sets in pods that nobody set, in the document itself. Pure.
#pragma once

#include <string_view>

#include "json/document.h"

namespace muster::api {

/// Sets the member when it is not there.
void default_member(json::Document& object, std::string_view key, json::Document value);
/// The member, made when it is not there; null when it is no object.
json::Document* object_member(json::Document& object, std::string_view key);

void default_pod(json::Document& pod);
/// The template of a deployment: what only a pod gets is left to the pods made from it.
void default_pod_template(json::Document& pod_template);

}  // namespace muster::api
