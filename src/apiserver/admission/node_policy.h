// What the pods of this engine may ask for. Unlike the rules of the kinds (api/rules), which a cluster has too, these
// depend on the machine and its configuration, and hold on the embedded engine alone: for pods and for the templates of
// pods in every kind.
#pragma once

#include <string>
#include <vector>

#include "api/resource.h"
#include "apiserver/context/context.h"
#include "base/error.h"
#include "json/document.h"

namespace muster::apiserver {

/// Reports what a pod asks for and cannot have here: it is refused rather than ignored.
std::vector<FieldCause> check_pod_security(const api::Resource& resource, const json::Document& object);

/// Returns a warning for each field of a pod or template that is accepted and has no effect.
std::vector<std::string> warn_about_idle_fields(const api::Resource& resource, const json::Document& object);

/// Returns a warning for the first hostPort of a pod or template when the machine publishes none.
std::vector<std::string> warn_about_host_ports(const NodePolicy& policy, const api::Resource& resource,
                                               const json::Document& object);

/// Returns a warning for each image of a pod or template that the policy has something to tell about.
std::vector<std::string> warn_about_images(const NodePolicy& policy, const api::Resource& resource,
                                           const json::Document& object);

}  // namespace muster::apiserver
