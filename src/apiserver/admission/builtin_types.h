// Built-in kinds as Kubernetes reads them: into Go types, which the tables of api/kubernetes_fields.h name member
// by member. So the tables say what is unknown and what has the wrong type, also where our descriptors model only a
// part, and amounts and times are stored in the one text that Go gives them.
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

/// Whether messages show the values they are about.
enum class Echo { kValues, kNoValues };
/// Drops what is unknown and rewrites what has several texts to the canonical one. What has the wrong type is left.
TypeFindings settle_types(const api::kubernetes::Message& message, json::Document& object, Echo echo = Echo::kValues);

}  // namespace muster::apiserver
