// What may not change in objects of Kubernetes' own kinds. Pure functions over Documents, reached through
// Resource::check_change.
#pragma once

#include <vector>

#include "base/error.h"
#include "json/document.h"

namespace muster::api {

std::vector<FieldCause> check_config_map_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_deployment_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_pod_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_priority_class_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_resource_quota_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_secret_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_volume_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_volume_claim_change(const json::Document& before, const json::Document& after);

}  // namespace muster::api
