// The pod templates inside custom resources. A descriptor models only a part of a pod and keeps the rest as written,
// but a Pod is decoded as a whole and rejected when any member has the wrong type.
#pragma once

#include <functional>
#include <vector>

#include "api/resource.h"
#include "base/error.h"
#include "json/document.h"
#include "reflect/place.h"

namespace muster::apiserver {

using VisitTemplate = std::function<void(const json::Document& pod_template, const reflect::Place& at)>;
/// Visits every template in the object, which need not be valid.
void visit_pod_templates(const api::Resource& resource, const json::Document& object, const VisitTemplate& visit);

/// Reports the members of templates that have the wrong type. `object` must be valid according to its descriptor.
std::vector<FieldCause> check_template_types(const api::Resource& resource, const json::Document& object);

}  // namespace muster::apiserver
