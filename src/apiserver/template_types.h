// Types inside the pod templates of custom resources. A descriptor models only a part of a pod and keeps the rest as it
// was written; a pod with such a rest is decoded as a whole, and refused when a member has the wrong type.
#pragma once

#include <vector>

#include "api/resource.h"
#include "base/error.h"
#include "json/document.h"

namespace muster::apiserver {

/// Of an object that its descriptor found valid.
std::vector<FieldCause> check_template_types(const api::Resource& resource, const json::Document& object);

}  // namespace muster::apiserver
