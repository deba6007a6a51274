// The list of roles that TensorStack's job kinds share, narrowed by each kind. For descriptors only.
#pragma once

#include <string>
#include <vector>

#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::reflect {

inline constexpr const char* kRolePattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

/// TrainingReplicaSpec for a kind that has just these roles and cannot grow.
TypeDesc replica_of(std::string name, std::vector<std::string> roles);
/// How many replicas the role has in the replicaSpecs of `spec`; 0 when it is not there.
std::int64_t replicas_of(const json::Document& spec, std::string_view role);

}  // namespace muster::reflect
