// Kubernetes decodes built-in kinds into Go types, and the tables of api/kubernetes/kubernetes_fields.h list the
// members of those types. By these tables we find unknown members and wrong types, also where our descriptors model
// only a part, and normalise quantities and times to the text that Go would store.
#pragma once

#include <string>
#include <vector>

#include "api/kubernetes/kubernetes_fields.h"
#include "base/error.h"
#include "json/document.h"
#include "reflect/reflect.h"

namespace muster::apiserver {

struct TypeFindings {
  std::vector<reflect::UnknownField> unknown;
  std::vector<FieldCause> wrong;  // "spec.containers[0].tty" "must be true or false, got \"x\""
};

/// Whether error messages contain the rejected values.
enum class Echo { kValues, kNoValues };
/// Drops unknown members and normalises values to their canonical text. Values of the wrong type stay as they are.
TypeFindings normalise_types(const api::kubernetes::Message& message, json::Document& object,
                             Echo echo = Echo::kValues);

}  // namespace muster::apiserver
