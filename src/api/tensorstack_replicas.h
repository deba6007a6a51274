// What TensorStack's job kinds share: the list of roles, narrowed by each kind, and switches that have two spellings.
// For descriptors and checks.
#pragma once

#include <string>
#include <vector>

#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::reflect {

inline constexpr const char* kRolePattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

/// TrainingReplicaSpec for a kind that has just these roles and cannot grow.
TypeDesc replica_of(std::string name, std::vector<std::string> roles);
/// Whether a part with a switch, such as torchrunConfig or runMode.debug, is on: by enabled, or by enable as it was
/// once spelt. False when there is no such part.
bool is_switched_on(const json::Document* part);
/// The same in CEL, of a part that is there: "self.torchrunConfig".
std::string cel_switched_on(const std::string& part);
/// Of a type with a template: it has a container. That a spec of pods has one is in its schema, so this asks for the
/// spec. The checks of the kinds look at the container as well.
Rule has_container_rule();

/// How many replicas the role has in the replicaSpecs of `spec`; 0 when it is not there.
std::int64_t replicas_of(const json::Document& spec, std::string_view role);

}  // namespace muster::reflect
