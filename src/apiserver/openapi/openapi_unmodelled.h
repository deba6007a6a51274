// What our descriptors name but do not model of Kubernetes' own types, described for OpenAPI by the generated tables.
// kubectl apply walks these schemas beside the object, and goes wrong where they end before it.
#pragma once

#include <string_view>

#include "api/kubernetes/kubernetes_fields.h"
#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::apiserver {

/// In the schemas of `type` and of all it refers to, as reflect::add_openapi_schemas() has filed them under `prefix`.
void describe_unmodelled(const reflect::TypeDesc& type, const api::kubernetes::Message& message,
                         std::string_view prefix, json::Object& schemas);

}  // namespace muster::apiserver
