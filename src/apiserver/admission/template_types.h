// Checks the types inside the pod templates of custom resources. A descriptor models only a part of a pod and keeps the
// rest as written, but a Pod is decoded as a whole and rejected when any member has the wrong type.
#pragma once

#include <vector>

#include "api/resource.h"
#include "base/error.h"
#include "json/document.h"

namespace muster::apiserver {

/// `object` must be valid according to its descriptor.
std::vector<FieldCause> check_template_types(const api::Resource& resource, const json::Document& object);

}  // namespace muster::apiserver
