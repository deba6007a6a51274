// Completes the OpenAPI schemas of built-in types from the generated tables: what our descriptors do not model, and how
// lists and objects merge in a strategic merge patch. kubectl apply follows these schemas through the object and fails
// where a schema ends before the object does.
#pragma once

#include <string_view>

#include "api/kubernetes/kubernetes_fields.h"
#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::apiserver {

/// Completes the schemas of `type` and of all types it refers to, which add_openapi_schemas() added under `prefix`.
void complete_schemas(const reflect::TypeDesc& type, const api::kubernetes::Message& message, std::string_view prefix,
                      json::Object& schemas);

}  // namespace muster::apiserver
