// What Kubernetes does to its built-in kinds beyond their schema: defaults that depend on other fields, initial status,
// and what may not change. Pure functions over Documents.
#pragma once

#include <vector>

#include "api/resource.h"
#include "base/error.h"
#include "json/document.h"

namespace muster::apiserver {

/// On every write, before validation.
void default_builtin(const api::Resource& resource, json::Document& object);
/// The status a new object begins with; for kinds without a rule an absent one.
void start_status(const api::Resource& resource, json::Document& object);
std::vector<FieldCause> check_builtin_change(const api::Resource& resource, const json::Document& before,
                                             const json::Document& after);

/// Guaranteed, Burstable or BestEffort, from requests and limits of all containers.
std::string qos_class(const json::Document& pod);

}  // namespace muster::apiserver
